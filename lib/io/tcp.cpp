// TCP streams and connecting.
#include "rill/io/tcp.hpp"

#include <cerrno>

#include "io/socket.hpp"
#include "rill/coro/as_result.hpp"

namespace rill::tcp {

stream& stream::operator=(stream&& other) noexcept {
    if (this != &other) {
        if (socket_ != nullptr) socket_->release();
        socket_ = std::exchange(other.socket_, nullptr);
    }
    return *this;
}

stream::~stream() {
    if (socket_ != nullptr) socket_->release();
}

void stream::close() noexcept {
    bytes_of().close();
}

void stream::reset() noexcept {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    if (socket_->closed()) return;
    socket_->reset_on_close();
    socket_->close();
}

tcp::remote stream::remote() const {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    return tcp::remote(socket_->link());
}

byte_stream& stream::bytes_of() const noexcept {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    return *socket_;
}

stream stream::adopt(core& home, int descriptor, stream_options const& with) {
    stream_settings const settings{.no_delay = with.no_delay,
                                   .keep_alive_seconds = with.keep_alive_seconds,
                                   .send_buffer_bytes = with.send_buffer_bytes,
                                   .receive_buffer_bytes = with.receive_buffer_bytes};
    home.io().configure(descriptor, settings);
    return stream(new socket(home, descriptor));
}

int stream::take_descriptor() noexcept {
    return std::exchange(socket_, nullptr)->detach();
}

task<> close_gracefully(stream& what, std::size_t most_bytes, duration longest) {
    what.finish();
    time_point const deadline = later(core::current().now(), longest);
    std::size_t dropped = 0;
    while (dropped < most_bytes) {
        auto const rest = co_await as_result(what.receive(deadline));
        if (!rest || !*rest) break;
        dropped += rest->size();
    }
    what.close();
}

namespace {

/// A connect on its way. Owns the descriptor until it is connected.
class connect_operation final : public value_operation<int>, private request {
public:
    connect_operation(core& home, address const& to) noexcept
        : request(verb::connect), home_(home), to_(to) {
        set_target(to_);
    }
    ~connect_operation() {
        // A connection that nobody took is closed, also one that was made as the cancel came.
        if (socket_ >= 0) home_.io().close(socket_);
    }
    char const* name() const noexcept override { return "connect"; }
    int take() noexcept { return std::exchange(socket_, -1); }

private:
    [[noreturn]] void throw_error(std::error_code code) const override {
        throw error(code, "connect to", to_.text());
    }
    bool start() noexcept override {
        auto const opened = home_.io().open_stream(to_.kind());
        if (!opened) {
            set_result(opened.error());
            return false;
        }
        socket_ = *opened;
        set_descriptor(socket_);
        home_.io().start(*this);
        return true;
    }
    void cancel(cancel_reason) noexcept override { home_.io().cancel(*this); }
    void completed(int value, std::uint32_t, bool) noexcept override {
        if (value == 0) {
            set_result(socket_);
        } else if (value == -ECANCELED) {
            set_result(errc::cancelled);
        } else {
            set_result(system_error(-value));
        }
        complete();
    }

    core& home_;
    address const& to_;
    int socket_ = -1;
};

}  // namespace

task<stream> connect(address to, stream_options with) {
    core& home = core::current();
    connect_operation connecting(home, to);
    co_await connecting;
    co_return stream::adopt(home, connecting.take(), with);
}

task<stream> connect(std::string_view to, stream_options with) {
    auto const parsed = address::parse(to);
    if (!parsed)
        throw error(parsed.error(), "connect to", to,
                    "write it as 127.0.0.1:80, [::1]:80 or unix:/path");
    address const target = *parsed;
    stream made = co_await connect(target, with);
    co_return made;
}

}  // namespace rill::tcp
