// The wait of a connection for its next request.
#pragma once

#include "http/server_core.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// Waits for input, and is on the list of idle connections until there is some: a shutdown cancels
/// those. The input stays in here until it is taken, so that an idle connection holds room for it
/// once; `co_await` gives nothing.
///
/// Cancel: ends without input, and the connection goes on.
class idle_wait : public receive_operation {
public:
    idle_wait(server_core& home, byte_stream& peer, time_point deadline) noexcept
        : receive_operation(peer, deadline), home_(home) {
        catch_cancellation();
    }

    void await_resume() const noexcept {}
    /// What has come; null where the stream has ended, the deadline has passed or the wait was
    /// cancelled.
    [[nodiscard]] lease* input() noexcept {
        auto& came = stored();
        return came->has_value() && **came ? &**came : nullptr;
    }
    /// True when the deadline has passed.
    [[nodiscard]] bool timed_out() noexcept { return stored()->error() == errc::timed_out; }
    [[nodiscard]] char const* name() const noexcept override { return "next request"; }

protected:
    void arrived(result<lease> input) noexcept override {
        home_.leave_idle(*this);
        receive_operation::arrived(std::move(input));
    }
    [[nodiscard]] core& of_core() const noexcept { return home_.home(); }

private:
    friend class server_core;
    bool start() noexcept override {
        if (!receive_operation::start()) return false;
        home_.enter_idle(*this);
        return true;
    }

    server_core& home_;
    idle_wait* next_ = nullptr;
    idle_wait* previous_ = nullptr;
};

}  // namespace rill::http
