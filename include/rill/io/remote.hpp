// remote: a handle on a TCP stream for everybody but the task that reads it, on any thread.
#pragma once

#include <cstddef>
#include <memory>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/base/result.hpp"

namespace rill {

class remote_link;

namespace tcp {

/// A copyable handle that sends on a stream and closes it, from any thread.
///
/// What is sent is copied and goes out in order behind earlier writes, whole pieces at a time. The
/// handle does not keep the stream open, and is harmless once the stream has gone.
class RILL_API remote {
public:
    /// Bytes that may be under way through all handles of one stream together.
    static constexpr std::size_t most_queued_bytes = 1024 * 1024;

    /// A handle on nothing: every send fails with `closed`.
    remote() noexcept = default;
    /// For the layers of rill.
    explicit remote(std::shared_ptr<remote_link> link) noexcept : link_(std::move(link)) {}

    /// Hands a copy of `what` to the stream's core and returns at once. Any thread.
    ///
    /// Errors    `closed` once the stream has gone or the peer has left; `limit_exceeded`, with
    ///           nothing queued, while more than `most_queued_bytes` would be under way: the peer
    ///           is slow, so drop, wait or close.
    /// Cost      one allocation.
    result<void> send(bytes what) const;
    /// Ends the sending side behind everything that was sent: the peer reads the end of the stream,
    /// and what it still sends is received. A later send is dropped. Any thread.
    void finish() const;
    /// Closes the stream now; its reader sees `closed`. What is still under way is lost: to end
    /// behind it, `finish`. Any thread.
    void close() const;
    /// True once a send would fail with `closed`. Any thread.
    [[nodiscard]] bool closed() const noexcept;

    /// Handles on the same stream are equal.
    friend bool operator==(remote const&, remote const&) noexcept = default;

private:
    std::shared_ptr<remote_link> link_;
};

}  // namespace tcp

}  // namespace rill
