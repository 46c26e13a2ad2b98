// Writes HTTP/1.1 response heads, chunks and trailers into memory of the caller (RFC 9112).
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"

namespace rill::http1 {

/// Writes the head of a response, and what may follow it, into memory that is large enough: the
/// caller adds up the bounds below before it asks for the memory, so nothing is looked at twice.
///
/// Names, values and texts are written as they are. Whoever takes them from elsewhere has looked at
/// them (`is_token`, `is_field_value`), as `http::headers` does, so that no text can split a
/// response (RFC 9112 section 11.1).
class RILL_API head_writer {
public:
    /// Writes to `memory`, which must outlive the writer.
    explicit head_writer(mutable_bytes memory) noexcept
        : begin_(reinterpret_cast<char*>(memory.data())), at_(begin_) {}

    /// The status line, HTTP/1.1 with the registry's text, or without one for a code that the
    /// registry does not know. The code has three digits.
    void status(unsigned code) noexcept {
        if (code == 200) [[likely]] {
            put("HTTP/1.1 200 OK\r\n");
        } else {
            at_ = put_status(at_, code);
        }
    }
    /// `name: value`.
    template <std::size_t Size>
    void field(char const (&name)[Size], std::string_view value) noexcept {
        put(name);
        put(": ");
        put(value);
        put("\r\n");
    }
    /// `name: number`.
    template <std::size_t Size>
    [[gnu::always_inline]] void field(char const (&name)[Size], std::uint64_t number) noexcept {
        put(name);
        put(": ");
        at_ = std::to_chars(at_, at_ + number_bound, number).ptr;
        put("\r\n");
    }
    /// Text as it is: whole field lines, each with its CRLF, or content.
    void put(std::string_view text) noexcept {
        std::size_t const size = text.size();
        char const* const from = text.data();
        // Two copies that overlap cost less than a call, and most texts are that short.
        if (size >= 16 && size <= 32) {
            std::memcpy(at_, from, 16);
            std::memcpy(at_ + size - 16, from + size - 16, 16);
        } else if (size >= 8 && size < 16) {
            std::memcpy(at_, from, 8);
            std::memcpy(at_ + size - 8, from + size - 8, 8);
        } else if (size != 0) {
            std::memcpy(at_, from, size);
        }
        at_ += size;
    }
    /// The same for text whose size is known when the program is compiled.
    template <std::size_t Size>
    void put(char const (&text)[Size]) noexcept {
        std::memcpy(at_, text, Size - 1);
        at_ += Size - 1;
    }
    /// The same.
    template <std::size_t Size>
    void put(std::array<char, Size> const& text) noexcept {
        std::memcpy(at_, text.data(), Size);
        at_ += Size;
    }
    /// The empty line that ends a head or a trailer section.
    void end() noexcept { put("\r\n"); }

    /// Bytes written.
    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }

    /// Most bytes that `status` writes.
    static constexpr std::size_t status_bound = 64;
    /// Most bytes of a number as a field's value.
    static constexpr std::size_t number_bound = 20;
    /// Bytes that a field line takes.
    [[nodiscard]] static constexpr std::size_t field_bound(std::size_t name_size,
                                                           std::size_t value_size) noexcept {
        return name_size + value_size + 4;
    }

private:
    // Not a member: the writer stays in registers as long as its address is not given away.
    static char* put_status(char* at, unsigned code) noexcept;

    char* begin_;
    char* at_;
};

/// Most bytes of a chunk-size line.
inline constexpr std::size_t chunk_head_bound = 18;

/// Writes the size line of a chunk of `size` bytes, which is not zero: a chunk of none would end
/// the body. `into` has room for `chunk_head_bound` bytes. Returns the bytes written. After the
/// chunk's bytes comes `chunk_tail`.
[[nodiscard]] RILL_API std::size_t write_chunk_head(mutable_bytes into,
                                                    std::uint64_t size) noexcept;

/// What follows the bytes of each chunk.
inline constexpr std::string_view chunk_tail = "\r\n";

/// What ends a chunked body that has no trailers.
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// What ends a chunked body that has trailers: then come field lines and an empty line, both by a
/// `head_writer`.
inline constexpr std::string_view last_chunk_before_trailers = "0\r\n";

}  // namespace rill::http1
