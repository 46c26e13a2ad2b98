// descriptor_stream: pipes, terminals, standard input and output as byte streams. pipe(7), tty(4).
#pragma once

#include <utility>

#include "rill/base/export.hpp"
#include "rill/io/stream_handle.hpp"

namespace rill {

/// A byte stream over a descriptor of any kind that can be read or written: a pipe, a terminal, a
/// file that was redirected, a character device. Move-only; closes when it goes out of scope, where
/// it owns the descriptor.
///
/// A borrowed descriptor (standard input) is shared with other processes, so its mode is not
/// touched: it is asked whether it is ready, and read or written without waiting. Nothing is read
/// before somebody asks for it, so what was not asked for is still there for who reads next. A
/// write to a pipe that nobody reads is EPIPE, without a signal; `finish` and `close` close a
/// descriptor that is owned.
///
/// Core  the core that made it. A simulation has pipes and files, and no terminals.
class RILL_API descriptor_stream : public stream_handle {
public:
    /// No stream.
    descriptor_stream() noexcept = default;
    descriptor_stream(descriptor_stream&& other) noexcept = default;
    descriptor_stream& operator=(descriptor_stream&& other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~descriptor_stream();

    /// Takes an open descriptor over. Throws `error` where it is none and, in a simulation,
    /// where it comes from outside.
    [[nodiscard]] static descriptor_stream own(int descriptor);
    /// Uses an open descriptor that is somebody else's and stays open. Throws as `own` does.
    [[nodiscard]] static descriptor_stream borrow(int descriptor);

    /// The descriptor, which stays this object's; -1 once closed.
    [[nodiscard]] int native() const noexcept;

private:
    explicit descriptor_stream(byte_stream* of) noexcept : stream_handle(of) {}
};

/// The two ends of a pipe of the kernel.
struct pipe_ends {
    descriptor_stream reader;  ///< What was written comes out here.
    descriptor_stream writer;  ///< Written here.
};

/// Makes a pipe. Both ends are closed in child processes. Throws `error`.
[[nodiscard]] RILL_API pipe_ends make_pipe();

/// Standard input (0), borrowed. Make one at a time: two readers would take each other's bytes.
[[nodiscard]] RILL_API descriptor_stream standard_input();
/// Standard output (1), borrowed. Nothing is kept back: what was written is out.
[[nodiscard]] RILL_API descriptor_stream standard_output();
/// Standard error (2), borrowed.
[[nodiscard]] RILL_API descriptor_stream standard_error();

}  // namespace rill
