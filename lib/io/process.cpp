// Child processes: the wait for the end of one, and the way out that leaves no zombie.
#include "rill/io/process.hpp"

#include <array>
#include <optional>

#include "rill/base/error.hpp"
#include "rill/rt/blocking.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"
#include "rt/process_calls.hpp"

namespace rill {

/// A child. Owned by a `process` until `release`, then by itself until the child has ended.
///
/// Invariant: until the child was reaped, the wait for its end is in flight.
class process_state final : private request {
public:
    process_state(core& home, process_calls::child started, bool own_group) noexcept
        : request(verb::readable), home_(home), id_(started.id()), own_group_(own_group) {
        set_descriptor(started.release());
        home_.io().start(*this);
    }

    [[nodiscard]] int id() const noexcept { return id_; }
    [[nodiscard]] std::optional<exit_status> const& ended() const noexcept { return ended_; }

    void release() noexcept {
        released_ = true;
        if (ended_) {
            delete this;
        } else {
            kill(process_calls::end_at_once);
        }
    }
    bool kill(int number) noexcept {
        if (ended_) return false;
        return process_calls::signal(descriptor(), own_group_ ? id_ : 0, number).has_value();
    }
    void add(process_wait& who) noexcept { waiting_.push_back(who); }
    void remove(process_wait& who) noexcept { waiting_.remove(who); }

private:
    ~process_state() = default;

    void completed(int, std::uint32_t, bool) noexcept override {
        auto const how = process_calls::reap(descriptor());
        if (!how) {
            // Ready for no reason: once more.
            home_.io().start(*this);
            return;
        }
        ended_.emplace(how->code, how->signal, how->dumped);
        home_.io().close(descriptor());
        while (!waiting_.empty()) {
            process_wait& who = waiting_.pop_front();
            who.set_result(*ended_);
            who.complete();
        }
        if (released_) delete this;
    }

    core& home_;
    int id_;
    bool own_group_;
    bool released_ = false;
    std::optional<exit_status> ended_;
    detail::wait_list<process_wait> waiting_;
};

bool process_wait::start() noexcept {
    if (of_.ended()) {
        set_result(*of_.ended());
        return false;
    }
    of_.add(*this);
    return true;
}

void process_wait::cancel(cancel_reason) noexcept {
    of_.remove(*this);
    set_result(errc::cancelled);
    complete();
}

namespace {

/// The ends of the pipes of one start: this process's as streams, the child's to be closed.
struct pipes {
    pipes() noexcept = default;
    pipes(pipes const&) = delete;
    pipes& operator=(pipes const&) = delete;
    ~pipes() {
        for (int const each : of_child) {
            if (each >= 0) process_calls::close(each);
        }
    }
    std::array<descriptor_stream, 3> of_parent;
    std::array<int, 3> of_child{-1, -1, -1};
};

/// The name of NAME=value.
std::string_view name_of(std::string_view variable) noexcept {
    return variable.substr(0, variable.find('='));
}

std::vector<std::string> environment_with(std::span<std::string const> added) {
    std::vector<std::string> all = process_calls::environment();
    for (std::string const& each : added) {
        std::erase_if(all, [&](std::string const& old) { return name_of(old) == name_of(each); });
        all.push_back(each);
    }
    return all;
}

}  // namespace

task<process> process::start(std::vector<std::string> command, process_options with) {
    RILL_ASSERT(!command.empty(), "name the program to start");
    if (!core::current().io().over_kernel()) {
        throw rill::error(errc::unsupported, "start", command.front(),
                          "another program is no part of a simulation");
    }
    std::string const program = command.front();
    process_calls::plan what;
    what.command = std::move(command);
    what.directory = with.directory;
    what.own_group = with.own_group;
    if (with.clean_environment) {
        what.environment.emplace(with.environment.begin(), with.environment.end());
    } else if (!with.environment.empty()) {
        what.environment = environment_with(with.environment);
    }
    pipes ends;
    std::array<stdio, 3> const wanted{with.input, with.output, with.error};
    std::array<int, 3> standard{0, 1, 2};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].what_ == stdio::kind::null) standard[i] = -1;
        if (wanted[i].what_ == stdio::kind::use) standard[i] = wanted[i].descriptor_;
        if (wanted[i].what_ != stdio::kind::pipe) continue;
        auto const made =
            i == 0 ? process_calls::pipe_to_child() : process_calls::pipe_from_child();
        if (!made) throw rill::error(made.error(), "make a pipe for", program);
        ends.of_child[i] = standard[i] = made->child;
        ends.of_parent[i] = descriptor_stream::own(made->parent);
    }
    if (auto const copied = what.standard.copy(standard); !copied) {
        throw rill::error(copied.error(), "hand descriptors to", program);
    }
    bool const own_group = with.own_group;
    auto started = co_await blocking(process_calls::start, std::move(what));
    if (!started) {
        throw rill::error(started.error(), "start", program,
                          started.error() == std::errc::no_such_file_or_directory
                              ? "no such program, or no such directory"
                              : "");
    }
    process made;
    made.state_ = new process_state(core::current(), *std::move(started), own_group);
    made.input_ = std::move(ends.of_parent[0]);
    made.output_ = std::move(ends.of_parent[1]);
    made.error_ = std::move(ends.of_parent[2]);
    co_return made;
}

process::process(process&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      error_(std::move(other.error_)) {}

process& process::operator=(process&& other) noexcept {
    std::swap(state_, other.state_);
    input_ = std::move(other.input_);
    output_ = std::move(other.output_);
    error_ = std::move(other.error_);
    return *this;
}

process::~process() {
    if (state_ != nullptr) state_->release();
}

int process::id() const noexcept {
    RILL_ASSERT(state_ != nullptr, "there is no child here");
    return state_->id();
}

process_wait process::wait() noexcept {
    RILL_ASSERT(state_ != nullptr, "there is no child here");
    return process_wait(*state_);
}

bool process::kill(int signal) noexcept {
    RILL_ASSERT(state_ != nullptr, "there is no child here");
    return state_->kill(signal);
}

namespace {

/// How the child has ended, or nothing where it has not after `longest`.
task<std::optional<exit_status>> wait_for(process& child, duration longest) {
    std::optional<exit_status> how;
    try {
        how = co_await timeout(longest, child.wait());
    } catch (rill::error const& failure) {
        if (failure.code() != errc::timed_out) throw;
    }
    co_return how;
}

}  // namespace

task<exit_status> process::stop(duration grace) {
    kill(process_calls::ask_to_end);
    auto how = co_await wait_for(*this, grace);
    if (!how) {
        kill(process_calls::end_at_once);
        how = co_await wait();
    }
    co_return *how;
}

task<exit_status> process::wait_or_stop(duration longest, duration grace) {
    auto how = co_await wait_for(*this, longest);
    if (!how) how = co_await stop(grace);
    co_return *how;
}

}  // namespace rill
