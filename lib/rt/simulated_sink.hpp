// What the parts of a simulated world ask of the core whose request they work for.
#pragma once

#include <cstdint>

#include "rill/base/bytes.hpp"
#include "rill/rt/request.hpp"

namespace rill {

/// Where the results of a core's requests go.
class simulated_sink {
public:
    /// A result; given to the request in a turn of its core.
    virtual void complete(request& what, int value, std::uint32_t buffer, bool more) = 0;
    /// A free receive buffer, or `request::no_buffer`. `large` are those for datagrams that want
    /// them.
    [[nodiscard]] virtual std::uint32_t take_buffer(bool large) noexcept = 0;
    [[nodiscard]] virtual bool has_buffer(bool large) const noexcept = 0;
    [[nodiscard]] virtual mutable_bytes memory_of(std::uint32_t buffer, bool large) noexcept = 0;

protected:
    ~simulated_sink() = default;
};

/// A request that waits for something in the world, and whose it is.
class simulated_wait {
public:
    simulated_wait() noexcept = default;
    simulated_wait(request& what, simulated_sink& by) noexcept : what_(&what), by_(&by) {}

    [[nodiscard]] explicit operator bool() const noexcept { return what_ != nullptr; }
    [[nodiscard]] bool is(request const& which) const noexcept { return what_ == &which; }
    [[nodiscard]] request& what() const noexcept { return *what_; }
    [[nodiscard]] simulated_sink& by() const noexcept { return *by_; }

    /// One result; nobody waits any more unless there is `more` to come.
    void complete(int value, std::uint32_t buffer = request::no_buffer, bool more = false) {
        request& what = *what_;
        if (!more) what_ = nullptr;
        by_->complete(what, value, buffer, more);
    }
    /// Nobody waits any more.
    void forget() noexcept { what_ = nullptr; }

private:
    request* what_ = nullptr;
    simulated_sink* by_ = nullptr;
};

}  // namespace rill
