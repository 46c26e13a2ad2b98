// shared_listener: one acceptor for all cores, which hands each connection to the least busy core.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "rill/io/tcp.hpp"

namespace rill::tcp {

namespace detail {
class hand_out;

/// One connection in the count of its core, for as long as its task lives.
class RILL_API counted_place {
public:
    counted_place(std::shared_ptr<hand_out> of, std::uint32_t core) noexcept
        : of_(std::move(of)), core_(core) {}
    counted_place(counted_place&& other) noexcept = default;
    counted_place& operator=(counted_place&&) = delete;
    ~counted_place();

private:
    std::shared_ptr<hand_out> of_;
    std::uint32_t core_;
};

}  // namespace detail

/// Listens once for all cores of a `run_per_core`: core 0 accepts and hands each connection to the
/// core that has the fewest open. Where connections live long and differ much this is fairer than a
/// listener per core, whose kernel spreads them by a hash; it costs a message for each connection.
///
///     tcp::shared_listener all(":7000");
///     run_per_core([&]() -> task<> { co_await all.serve(echo); });
class RILL_API shared_listener {
public:
    /// For this address; listened on when core 0 serves. Throws `error` where it is none.
    explicit shared_listener(std::string_view at, listener_options const& options = {});
    shared_listener(shared_listener const&) = delete;
    shared_listener& operator=(shared_listener const&) = delete;
    ~shared_listener();

    /// Handles the connections that are handed to this core, each in a task of its own:
    /// `handler(stream)` gives a task. Call it once on every core. Runs until cancelled; then its
    /// connections are cancelled and joined. Core 0 throws `error` where it cannot listen.
    ///
    /// What a handler throws ends its connection only, and is logged.
    template <class Handler>
    [[nodiscard]] task<> serve(Handler handler);

    /// Where it listens; waits until core 0 does. Any thread but a core's.
    [[nodiscard]] address local_address() const;

private:
    [[nodiscard]] task<> accept_and_hand_out();
    void enter_core();
    void leave_core() noexcept;
    /// The next connection for this core.
    [[nodiscard]] task<stream> next();
    [[nodiscard]] detail::counted_place place() const noexcept;

    std::shared_ptr<detail::hand_out> state_;
};

template <class Handler>
task<> shared_listener::serve(Handler handler) {
    struct presence {
        shared_listener& in;
        explicit presence(shared_listener& of) : in(of) { of.enter_core(); }
        presence(presence const&) = delete;
        presence& operator=(presence const&) = delete;
        ~presence() { in.leave_core(); }
    } const here(*this);
    auto body = [this, &handler](task_group& group) -> task<> {
        group.spawn([](shared_listener& self) -> task<> { co_await self.accept_and_hand_out(); },
                    std::ref(*this));
        for (;;) {
            stream peer = co_await next();
            group.spawn(detail::run_handler<Handler, detail::counted_place>, std::ref(handler),
                        std::move(peer), place());
        }
    };
    co_await with_task_group(body);
}

}  // namespace rill::tcp
