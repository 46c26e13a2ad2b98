// The TCP listener: an endless accept that pauses at a bound, and backs off without descriptors.
#include <cerrno>
#include <utility>
#include <vector>

#include "io/socket.hpp"
#include "rill/base/log.hpp"
#include "rill/io/tcp.hpp"

namespace rill::tcp {

namespace {

// Accepted connections that nobody has asked for yet; beyond it the kernel's backlog fills.
constexpr std::size_t most_accepted = 256;
// Out of descriptors: how long until the next try.
constexpr duration descriptor_pause = 100ms;

bool out_of_resources(int code) noexcept {
    return code == EMFILE || code == ENFILE || code == ENOBUFS || code == ENOMEM;
}

address parse_or_throw(std::string_view at) {
    auto parsed = address::parse(at);
    if (!parsed) {
        throw error(parsed.error(), "listen on", at,
                    "write it as :8080, 127.0.0.1:80, [::1]:80 or unix:/path");
    }
    return *std::move(parsed);
}

}  // namespace

class listener_state final : private request {
public:
    listener_state(core& home, address const& at, listener_options const& with)
        : request(verb::accept_stream), home_(home), options_(with) {
        listen_settings const settings{.backlog = with.backlog,
                                       .reuse_port = with.reuse_port,
                                       .must_be_first = with.must_be_first,
                                       .only_v6 = !with.dual_stack,
                                       .mode = with.mode};
        auto const opened = home.io().listen(at, settings);
        if (!opened) {
            bool const taken = opened.error() == std::errc::address_in_use;
            throw error(opened.error(), "listen on", at.text(),
                        taken ? "another program has this port; stop it or choose another" : "");
        }
        set_descriptor(*opened);
        if (at.kind() == address::family::local) name_ = at;
    }

    [[nodiscard]] address local_address() const { return home_.io().local(descriptor()); }

    [[nodiscard]] bool begin_accept(accept_operation& who) noexcept {
        if (next_ < accepted_.size()) {
            who.set_result(take());
            if (accepted_.size() - next_ <= most_accepted / 2) arm();
            return false;
        }
        if (closed_ && !in_flight()) {
            who.set_result(errc::closed);
            return false;
        }
        who.next_ = nullptr;
        who.previous_ = last_;
        (last_ != nullptr ? last_->next_ : first_) = &who;
        last_ = &who;
        arm();
        return true;
    }

    void stop_accept(accept_operation& who) noexcept {
        unlink(who);
        who.set_result(errc::cancelled);
        who.complete();
    }

    void put_back(stream accepted) noexcept {
        int const descriptor = accepted.take_descriptor();
        if (next_ > 0) {
            accepted_[--next_] = descriptor;
        } else {
            accepted_.insert(accepted_.begin(), descriptor);
        }
        serve_waiters();
    }

    void close() noexcept {
        if (closed_) return;
        closed_ = true;
        home_.timers().cancel(retry_);
        if (in_flight()) {
            home_.io().cancel(*this);
        } else {
            finish();
        }
    }

    void release() noexcept {
        released_ = true;
        if (!closed_) {
            close();
        } else if (!in_flight()) {
            delete this;
        }
    }
    [[nodiscard]] std::uint32_t most_connections() const noexcept {
        return options_.most_connections;
    }

private:
    ~listener_state() {
        for (; next_ < accepted_.size(); ++next_) home_.io().close(accepted_[next_]);
    }

    void arm() noexcept {
        if (in_flight() || closed_ || retry_.armed()) return;
        home_.io().start(*this);
    }

    void completed(int value, std::uint32_t, bool more) noexcept override {
        if (value >= 0) {
            accepted_.push_back(value);
            serve_waiters();
        }
        if (more) {
            if (accepted_.size() - next_ >= most_accepted) home_.io().cancel(*this);
            return;
        }
        if (closed_) {
            finish();
        } else if (value < 0 && out_of_resources(-value)) {
            RILL_LOG_EVERY(1s, warn, "cannot accept", {"error", system_error(-value)},
                           {"advice", "raise the limit of open descriptors (ulimit -n)"});
            home_.timers().arm(retry_, later(home_.now(), descriptor_pause));
        } else if (accepted_.size() - next_ < most_accepted) {
            arm();
        }
    }

    stream take() noexcept {
        int const descriptor = accepted_[next_++];
        if (next_ == accepted_.size()) {
            accepted_.clear();
            next_ = 0;
        }
        return stream::adopt(home_, descriptor, options_.stream);
    }

    void serve_waiters() noexcept {
        while (first_ != nullptr && next_ < accepted_.size()) {
            accept_operation& who = *first_;
            unlink(who);
            who.set_result(take());
            who.complete();
        }
    }

    void unlink(accept_operation& who) noexcept {
        (who.previous_ != nullptr ? who.previous_->next_ : first_) = who.next_;
        (who.next_ != nullptr ? who.next_->previous_ : last_) = who.previous_;
    }

    // Nothing is in flight and nothing more will be accepted, but for what the kernel's queue
    // holds: those clients believe that they are connected.
    void finish() noexcept {
        while (auto const waiting = home_.io().accept_ready(descriptor())) {
            accepted_.push_back(*waiting);
        }
        serve_waiters();
        home_.io().close(descriptor());
        if (name_.kind() != address::family::none) home_.io().release_name(name_);
        while (first_ != nullptr) {
            accept_operation& who = *first_;
            unlink(who);
            who.set_result(errc::closed);
            who.complete();
        }
        if (released_) delete this;
    }

    core& home_;
    listener_options options_;
    address name_;               // of a local listener, whose file is removed with it
    std::vector<int> accepted_;  // from next_ on: accepted, not asked for yet
    std::size_t next_ = 0;
    accept_operation* first_ = nullptr;
    accept_operation* last_ = nullptr;
    bool closed_ = false;
    bool released_ = false;
    struct retry_timer final : timer_node {
        explicit retry_timer(listener_state& of) noexcept
            : timer_node(
                  [](timer_node& node) noexcept { static_cast<retry_timer&>(node).owner.arm(); }),
              owner(of) {}
        listener_state& owner;
    } retry_{*this};
};

listener::listener(std::string_view at, listener_options with)
    : listener(parse_or_throw(at), with) {}

listener::listener(address const& at, listener_options with)
    : state_(new listener_state(core::current(), at, with)) {}

listener::listener(listener&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

listener::~listener() {
    if (state_ != nullptr) state_->release();
}

void listener::close() noexcept {
    state_->close();
}

std::uint32_t listener::most_connections() const noexcept {
    return state_->most_connections();
}

address listener::local_address() const {
    return state_->local_address();
}

accept_operation::~accept_operation() {
    auto& unused = stored();
    if (unused && unused->has_value() && **unused) from_.state_->put_back(*std::move(*unused));
}

bool accept_operation::start() noexcept {
    return from_.state_->begin_accept(*this);
}

void accept_operation::cancel(cancel_reason) noexcept {
    from_.state_->stop_accept(*this);
}

namespace detail {

void log_handler_failure(char const* what, std::exception_ptr failure) noexcept {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (error const& expected) {
        log::debug("connection ended", {{"in", what}, {"why", expected.what()}});
    } catch (std::exception const& unexpected) {
        log::error("exception", {{"in", what}, {"what", unexpected.what()}});
    } catch (...) {
        log::error("exception", {{"in", what}, {"what", "not a std::exception"}});
    }
}

}  // namespace detail

}  // namespace rill::tcp
