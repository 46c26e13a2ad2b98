// Frames that end in a delimiter, and lines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

#include "rill/base/export.hpp"
#include "rill/codec/frame_codec.hpp"

namespace rill::framing {

/// Frames that end in a delimiter of 1 to 16 bytes. The payload is what stands before it.
///
/// A payload that holds the delimiter, or makes it appear earlier together with its first bytes,
/// would be read as two frames: it is refused and not sent.
class RILL_API delimited {
public:
    /// How long a delimiter may be.
    static constexpr std::size_t most_delimiter_bytes = 16;

    /// A frame has at most `maximum_bytes` bytes, delimiter included.
    explicit constexpr delimited(std::string_view delimiter,
                                 std::size_t maximum_bytes = default_maximum_bytes) noexcept
        : size_(delimiter.size()), maximum_(maximum_bytes) {
        RILL_ASSERT(!delimiter.empty(), "a delimiter has at least one byte");
        RILL_ASSERT(delimiter.size() <= most_delimiter_bytes, "a delimiter has at most 16 bytes");
        RILL_ASSERT(maximum_bytes >= delimiter.size(), "a frame has room for its delimiter");
        for (std::size_t i = 0; i != size_; ++i) delimiter_[i] = delimiter[i];
    }

    /// See `decoder`.
    [[nodiscard]] step measure(bytes input, std::size_t seen) const noexcept;
    /// See `encoder`. There is no place for a prefix.
    [[nodiscard]] std::error_code head(edge& into, bytes prefix,
                                       std::size_t payload_bytes) const noexcept;
    /// See `encoder`.
    [[nodiscard]] std::error_code tail(edge& into, bytes head,
                                       std::span<bytes const> payload) const noexcept;
    /// The bound that it was made with.
    [[nodiscard]] constexpr std::size_t maximum_bytes() const noexcept { return maximum_; }

private:
    [[nodiscard]] std::string_view delimiter() const noexcept { return {delimiter_.data(), size_}; }

    std::array<char, most_delimiter_bytes> delimiter_ = {};
    std::size_t size_;
    std::size_t maximum_;
};

/// How written lines end.
enum class line_end : std::uint8_t {
    crlf,  ///< CR and LF.
    lf,    ///< LF.
};

/// Lines. Reading takes LF and CRLF, also mixed; writing ends them as it was told to.
///
/// A line that holds LF, or that would lose a CR at its end, is refused and not sent.
class RILL_API lines {
public:
    /// A line has at most `maximum_bytes` bytes, its end included.
    explicit constexpr lines(line_end written = line_end::crlf,
                             std::size_t maximum_bytes = default_maximum_bytes) noexcept
        : maximum_(maximum_bytes), written_(written) {
        RILL_ASSERT(maximum_bytes >= 2, "a line has room for its end");
    }

    /// See `decoder`.
    [[nodiscard]] step measure(bytes input, std::size_t seen) const noexcept;
    /// See `encoder`. There is no place for a prefix.
    [[nodiscard]] std::error_code head(edge& into, bytes prefix,
                                       std::size_t payload_bytes) const noexcept;
    /// See `encoder`.
    [[nodiscard]] std::error_code tail(edge& into, bytes head,
                                       std::span<bytes const> payload) const noexcept;
    /// The bound that it was made with.
    [[nodiscard]] constexpr std::size_t maximum_bytes() const noexcept { return maximum_; }

private:
    std::size_t maximum_;
    line_end written_;
};

}  // namespace rill::framing
