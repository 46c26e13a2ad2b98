// Writes HTTP/1.1 response heads, chunks and trailers into memory of the caller (RFC 9112).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::http1 {

/// Whether everything could be written.
enum class write_state : std::uint8_t {
    ok,        ///< All is written so far.
    no_space,  ///< Something did not fit; start again with more memory.
    refused,   ///< A name, a value or a status was not fit to be sent; nothing must be sent.
};

/// Writes a response head, field by field, into memory of a fixed size.
///
/// The first thing that does not fit or is refused stops the writer: later calls write nothing, and
/// `state` tells which it was, so that it is asked once, at the end. A name that is no token and a
/// value with CR, LF, NUL or another control character are refused here whoever checked them
/// before, so that no text can split a response (RFC 9112 section 11.1).
class RILL_API head_writer {
public:
    /// Writes into `memory`, which must outlive the writer.
    explicit head_writer(mutable_bytes memory) noexcept
        : begin_(reinterpret_cast<char*>(memory.data())),
          at_(begin_),
          end_(begin_ + memory.size()) {}

    /// The status line, HTTP/1.1 with the registry's text. Codes from 100 to 599, else refused.
    /// Copies a whole line that is ready for every registered code.
    void status(unsigned code) noexcept;
    /// The status line with a text of the caller's own, which may be empty.
    void status(unsigned code, std::string_view text) noexcept;
    /// `name: value`.
    void field(std::string_view name, std::string_view value) noexcept;
    /// `name: number`.
    void field(std::string_view name, std::uint64_t number) noexcept;
    /// Whole field lines, each with its CRLF, that the caller knows to be right: text of the
    /// program itself, never of a peer or a user.
    void raw(std::string_view lines) noexcept { put(lines); }
    /// The empty line that ends a head or a trailer section.
    void end() noexcept { put("\r\n"); }

    /// Whether all that was asked for is written.
    [[nodiscard]] write_state state() const noexcept { return state_; }
    /// Bytes written.
    [[nodiscard]] std::size_t size() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }

    /// Most bytes that `status` writes for a text of `size` bytes; registered texts are shorter
    /// than 32 bytes.
    [[nodiscard]] static constexpr std::size_t status_bound(std::size_t size = 32) noexcept {
        return std::string_view("HTTP/1.1 200 \r\n").size() + size;
    }
    /// Bytes that a field line takes.
    [[nodiscard]] static constexpr std::size_t field_bound(std::size_t name_size,
                                                           std::size_t value_size) noexcept {
        return name_size + value_size + 4;
    }
    /// Most bytes of a number as a field's value.
    static constexpr std::size_t number_bound = 20;

private:
    bool reserve(std::size_t size) noexcept {
        if (state_ == write_state::ok && static_cast<std::size_t>(end_ - at_) < size)
            state_ = write_state::no_space;
        return state_ == write_state::ok;
    }
    void append(std::string_view text) noexcept {
        std::memcpy(at_, text.data(), text.size());
        at_ += text.size();
    }
    void put(std::string_view text) noexcept {
        if (!text.empty() && reserve(text.size())) append(text);
    }
    void refuse() noexcept {
        if (state_ == write_state::ok) state_ = write_state::refused;
    }

    char* begin_;
    char* at_;
    char* end_;
    write_state state_ = write_state::ok;
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
