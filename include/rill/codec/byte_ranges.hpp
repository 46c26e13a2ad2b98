// Range and Content-Range of bytes. RFC 9110 sections 14.1.2, 14.2, 14.4 and 15.5.17.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::codec {

/// A part of a representation.
struct byte_range {
    std::uint64_t first = 0;  ///< Where it starts, in bytes.
    std::uint64_t size = 0;   ///< How many bytes it has; at least one.
    friend bool operator==(byte_range const&, byte_range const&) noexcept = default;
};

/// The most ranges of one request that are answered one by one. A request for more is answered
/// with the whole.
inline constexpr std::size_t most_byte_ranges = 16;

/// What a Range field asks of a representation whose size is known.
class byte_ranges {
public:
    /// How such a request is to be answered.
    enum class answer : std::uint8_t {
        whole,          ///< 200: there is no range that has to be heeded.
        partial,        ///< 206 with `parts()`.
        unsatisfiable,  ///< 416: no range begins inside.
    };

    /// Reads the value of a Range field for a representation of `size` bytes, which is below 2^63.
    ///
    /// Ranges keep the order of the request, are cut at the end, and those that begin behind it are
    /// left out. The whole answers what is malformed or in another unit, more than
    /// `most_byte_ranges` ranges, ranges that overlap, which nobody asks for in earnest, and the
    /// last bytes of an empty representation, since no Content-Range can tell of no byte.
    [[nodiscard]] RILL_API static byte_ranges parse(std::string_view field,
                                                    std::uint64_t size) noexcept;

    /// How to answer.
    [[nodiscard]] answer outcome() const noexcept { return outcome_; }
    /// The parts to send; empty unless the outcome is `partial`.
    [[nodiscard]] std::span<byte_range const> parts() const noexcept {
        return {parts_.data(), outcome_ == answer::partial ? count_ : 0};
    }

private:
    answer outcome_ = answer::whole;
    std::size_t count_ = 0;
    std::array<byte_range, most_byte_ranges> parts_;
};

/// The most characters of a Content-Range value: three numbers of 20 digits.
inline constexpr std::size_t content_range_bound = 72;

/// Writes the Content-Range of one part: "bytes 0-499/1234". Returns the text, which lies in
/// `into`.
[[nodiscard]] RILL_API std::string_view format_content_range(
    byte_range part, std::uint64_t size, std::span<char, content_range_bound> into) noexcept;

/// Writes the Content-Range of a 416: "bytes */1234". Returns the text, which lies in `into`.
[[nodiscard]] RILL_API std::string_view format_unsatisfied_range(
    std::uint64_t size, std::span<char, content_range_bound> into) noexcept;

}  // namespace rill::codec
