// lines: a byte stream line by line, with a bound for the length of a line.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/buffer.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/io/descriptor_stream.hpp"

namespace rill {

/// How lines are read.
struct line_options {
    /// The longest line, its end not counted; 64 KiB.
    std::size_t most_bytes = 64 * 1024;
};
static_assert(std::is_trivially_destructible_v<line_options>);

/// Reads a stream of text line by line: standard input, the output of a child. (For a protocol take
/// `framing::lines`, which also writes, and for which a last line without an end is an error.)
///
///     rill::lines input(rill::standard_input());
///     while (auto line = co_await input.next()) use(*line);
///
/// (This form of `while` is right with every compiler; see docs/compilers.md.)
///
/// Core  that of the stream. One wait at a time.
class RILL_API lines {
public:
    /// Reads from a stream that outlives this object. What it has read beyond a line stays here.
    explicit lines(byte_stream& from, line_options with = {}) noexcept
        : from_(&from), with_(with) {}
    /// Reads from a stream of its own.
    explicit lines(descriptor_stream from, line_options with = {}) noexcept
        : own_(std::move(from)), from_(&own_.bytes_of()), with_(with) {}
    lines(lines const&) = delete;
    lines& operator=(lines const&) = delete;

    /// Waits for the next line.
    ///
    /// Returns   the line without its end (LF or CR LF), valid until the next call; what follows
    ///           the last end, where it is not empty; nothing at the end of the stream, again and
    ///           again.
    /// Errors    those of `byte_stream::receive`; `limit_exceeded` where a line is longer than
    ///           `most_bytes`, and then at each further call: the stream is inside of a line.
    /// Cancel    nothing is lost: what had arrived comes with the next call.
    [[nodiscard]] task<std::optional<std::string_view>> next(time_point deadline = never);

    /// What was received and is not part of a line that was given: for another reader of the
    /// stream, such as one of a body that follows lines.
    [[nodiscard]] bytes unread() const noexcept { return unread_.view().without_first(given_); }

private:
    [[nodiscard]] bool take_line(std::string_view& line);

    descriptor_stream own_;
    byte_stream* from_;
    line_options with_;
    buffer unread_;             // at most a line, and what one receive has brought
    std::size_t given_ = 0;     // the line that was given, at the front of `unread_`
    std::size_t searched_ = 0;  // no LF before this
    bool ended_ = false;
};

}  // namespace rill
