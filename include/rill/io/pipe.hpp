// byte_pipe: two byte streams, joined in this process. What protocols are tested on, without a
// port.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "rill/io/byte_stream.hpp"

namespace rill {

/// How a pipe is made.
struct pipe_options {
    /// Bytes that each way holds until its reader takes them, leased ones included; writers wait
    /// beyond it. At least 1.
    std::size_t capacity_bytes = 64 * 1024;
    /// At most this many bytes in one received piece; 0 is 4 KiB. With 1 a protocol sees its input
    /// byte by byte.
    std::size_t piece_bytes = 0;
};
static_assert(std::is_trivially_destructible_v<pipe_options>);

/// Two connected byte streams: what is written to one is received from the other, in order.
///
/// `finish` ends one way; `close` ends both: the other side receives what had been written and then
/// the end (a reset where a write was cut), and its writes fail as on a broken pipe.
///
/// Lifetime  both ends and all their leases and waits end before the pipe does.
/// Core      both ends belong to one core. It needs a core's timers only where a deadline is given,
///           and never its driver.
/// Cost      one block of `capacity_bytes` for each way, taken at the first write.
class RILL_API byte_pipe {
public:
    /// A pipe with both ends open.
    explicit byte_pipe(pipe_options with = {});
    byte_pipe(byte_pipe const&) = delete;
    byte_pipe& operator=(byte_pipe const&) = delete;
    ~byte_pipe();

    /// One end.
    [[nodiscard]] byte_stream& first() noexcept;
    /// The other end.
    [[nodiscard]] byte_stream& second() noexcept;

private:
    class flow;
    class end;
    class state;
    std::unique_ptr<state> state_;
};

}  // namespace rill
