// readable and writable: waits for a descriptor that another library owns.
#pragma once

#include "rill/coro/operation.hpp"
#include "rill/rt/request.hpp"

namespace rill {

/// The wait of `readable` and `writable`.
class [[nodiscard]] RILL_API ready_operation final : public value_operation<void>, private request {
public:
    /// A wait of the kind `what` on `descriptor`.
    ready_operation(verb what, int descriptor) noexcept : request(what) {
        set_descriptor(descriptor);
    }
    /// "readable" or "writable".
    [[nodiscard]] char const* name() const noexcept override;

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void completed(int value, std::uint32_t buffer, bool more) noexcept override;
};

/// Waits until a read from `descriptor` would not block: there are bytes, the end, an error or a
/// connection to accept. Which it is, the read tells.
///
/// For the descriptors of other libraries (libpq, c-ares, a device). It must be one that poll(2)
/// can wait for. Several waits on one descriptor may run side by side, for reading and for writing.
///
/// Errors    what the kernel refuses: EBADF where the descriptor is not open.
/// Lifetime  the descriptor stays open until the await has ended, also when it was cancelled. One
///           that is closed meanwhile does not end the wait, and a new file that gets its number
///           is not what is waited for: end the wait (cancel it), then close.
/// Core      any; it does not matter which core opened the descriptor.
/// Cancel    ends early; nothing is lost, since nothing was read.
[[nodiscard]] inline ready_operation readable(int descriptor) noexcept {
    return {verb::readable, descriptor};
}
/// Waits until a write to `descriptor` would not block, or has an error to tell; see `readable`.
[[nodiscard]] inline ready_operation writable(int descriptor) noexcept {
    return {verb::writable, descriptor};
}

}  // namespace rill
