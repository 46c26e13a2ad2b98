// HTTP/1.1 message bodies as they arrive: by length, chunked, or until the end of the connection
// (RFC 9112 sections 6 and 7). Body bytes are handed out where they lie and never kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::http1 {

/// How a message says where its body ends.
struct body_framing {
    /// The four ways of RFC 9112 section 6.3.
    enum class by : std::uint8_t {
        nothing,       ///< There is no body.
        length,        ///< `length` bytes, from Content-Length.
        chunks,        ///< Chunked transfer coding.
        end_of_stream  ///< All that comes until the peer closes; responses only.
    };

    by kind = by::nothing;     ///< Which of the four.
    std::uint64_t length = 0;  ///< Bytes of the body, for `by::length` only.
};

/// What a chunked body may cost beside its content. Each limit is exact: a body at it passes.
struct chunked_limits {
    /// Bytes of chunk-size lines over the whole body, the first 16 of each line not counted:
    /// what extensions cost (CVE-2024-22019). Default 16 KiB. Zero allows none.
    std::uint32_t overhead_bytes = 16 * 1024;
    /// Bytes of the trailer section's lines, CRLFs included. Default 8 KiB. Zero allows none.
    std::uint32_t trailer_bytes = 8 * 1024;
    /// Trailer fields, dropped ones counted. Default 32. Zero allows none.
    std::uint32_t trailer_count = 32;
};

/// What one call of a body decoder found.
enum class body_event : std::uint8_t {
    need_more,  ///< All input is consumed and the body goes on.
    data,       ///< `data` is the next piece of the body.
    end,        ///< The body is over; input after `consumed` belongs to the next message.
    failed,     ///< The body is malformed or over a limit; the connection cannot go on.
};

/// One step through a body.
struct body_step {
    body_event what = body_event::need_more;  ///< What was found.
    std::size_t consumed = 0;  ///< Bytes of the input that are done with, `data` included.
    bytes data;                ///< A view into the input; empty but for `body_event::data`.
};

/// Decodes a chunked body, strictly: CRLF line ends only, no white space that the grammar lacks,
/// sizes of at most 16 digits and below 2^63.
///
/// Works with any cut of the input. Keeps nothing but the trailer section.
/// Spec: RFC 9112 section 7.1.
class RILL_API chunked_decoder {
public:
    /// Starts a body.
    explicit chunked_decoder(chunked_limits limits = {}) noexcept : limits_(limits) {}

    /// Finds the next piece. Call again with the rest of the input after `consumed` bytes until it
    /// needs more. After `end` and `failed` it consumes nothing and repeats itself.
    /// Cost: allocates for trailer fields, else nothing.
    [[nodiscard]] body_step next(bytes input);

    /// Bytes that the chunk at hand still has, by its size line; 0 between chunks.
    [[nodiscard]] std::uint64_t remaining() const noexcept {
        return state_ == state::content ? remaining_ : 0;
    }
    /// How many trailer fields were kept; those that RFC 9110 section 6.5.1 forbids are dropped.
    [[nodiscard]] std::size_t trailer_count() const noexcept { return trailers_.size(); }
    /// A trailer field; lives until the decoder is destroyed, reset or moved.
    [[nodiscard]] field trailer(std::size_t index) const noexcept;
    /// The status to answer with, 400 or 431; zero unless it failed.
    [[nodiscard]] std::uint16_t failure_status() const noexcept { return failure_status_; }
    /// Why it failed, for a log; empty unless it did.
    [[nodiscard]] char const* failure_reason() const noexcept { return failure_reason_; }
    /// Starts over for another body, with the same limits.
    void reset() noexcept;

private:
    enum class state : std::uint8_t {
        size_first,
        size_digits,
        extension_space,       // white space that must lead to `;`
        extension_name_space,  // after `;`
        extension_name,
        extension_equals_space,  // white space after a name: `=` or `;` must follow
        extension_value_space,   // after `=`
        extension_token,
        extension_quoted,
        extension_escape,
        extension_after_quoted,
        size_lf,
        content,
        content_cr,
        content_lf,
        trailer_start,
        trailer_line,
        trailer_lf,
        end_lf,
        ended,
        failed,
    };
    struct trailer_place {
        std::uint32_t name, name_size, value, value_size;
    };

    void read_line_byte(char c);
    void read_size_byte(char c);
    void read_extension_byte(char c);
    void end_size_line();
    void read_trailer_byte(char c);
    void end_trailer_line();
    void fail(char const* reason, std::uint16_t status = 400) noexcept;

    chunked_limits limits_;
    state state_ = state::size_first;
    std::uint8_t digits_ = 0;
    std::uint16_t failure_status_ = 0;
    std::uint32_t line_bytes_ = 0;
    std::uint32_t overhead_bytes_ = 0;
    std::uint32_t trailer_lines_ = 0;
    std::uint32_t trailer_bytes_ = 0;
    std::uint32_t trailer_begin_ = 0;
    std::uint64_t remaining_ = 0;
    char const* failure_reason_ = "";
    std::string trailer_text_;
    std::vector<trailer_place> trailers_;
};

/// Decodes a body of any framing through one interface.
class RILL_API body_decoder {
public:
    /// Starts a body of this framing; `limits` matter for chunks only.
    explicit body_decoder(body_framing framing, chunked_limits limits = {}) noexcept
        : framing_(framing.kind), remaining_(framing.length), chunks_(limits) {}

    /// As `chunked_decoder::next`. A body of no bytes ends at the first call, with no input.
    [[nodiscard]] body_step next(bytes input);

    /// The end of the peer's stream: true when the body is whole.
    [[nodiscard]] bool finish() noexcept;

    /// Bytes still to come, as far as they were announced: by Content-Length, or of the chunk at
    /// hand.
    [[nodiscard]] std::uint64_t remaining() const noexcept {
        return framing_ == body_framing::by::chunks ? chunks_.remaining() : remaining_;
    }
    /// The chunked decoder, for its trailers and its failure.
    [[nodiscard]] chunked_decoder const& chunks() const noexcept { return chunks_; }

private:
    body_framing::by framing_;
    bool ended_ = false;
    std::uint64_t remaining_;
    chunked_decoder chunks_;
};

}  // namespace rill::http1
