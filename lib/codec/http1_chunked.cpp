// The chunked transfer coding, decoded strictly (RFC 9112 section 7.1).
#include <algorithm>

#include "codec/chars.hpp"
#include "rill/codec/http1_body.hpp"

namespace rill::http1 {

namespace {

/// Bytes of a chunk-size line that are not counted as overhead.
constexpr std::uint32_t free_line_bytes = 16;

constexpr std::uint8_t most_digits = 16;
constexpr std::uint64_t most_size = INT64_MAX;

}  // namespace

void chunked_decoder::fail(char const* reason, std::uint16_t status) noexcept {
    state_ = state::failed;
    failure_reason_ = reason;
    failure_status_ = status;
}

void chunked_decoder::reset() noexcept {
    state_ = state::size_first;
    digits_ = 0;
    failure_status_ = 0;
    line_bytes_ = overhead_bytes_ = trailer_lines_ = trailer_bytes_ = trailer_begin_ = 0;
    remaining_ = 0;
    failure_reason_ = "";
    trailer_text_.clear();
    trailers_.clear();
}

field chunked_decoder::trailer(std::size_t index) const noexcept {
    RILL_ASSERT(index < trailers_.size(), "ask for an index below trailer_count()");
    trailer_place const& at = trailers_[index];
    char const* const text = trailer_text_.data();
    return {{text + at.name, at.name_size}, {text + at.value, at.value_size}};
}

body_step chunked_decoder::next(bytes input) {
    std::string_view const text = input.text();
    std::size_t at = 0;
    while (state_ != state::ended && state_ != state::failed) {
        if (at == text.size()) return {.what = body_event::need_more, .consumed = at, .data = {}};
        if (state_ == state::content) {
            auto const size =
                static_cast<std::size_t>(std::min<std::uint64_t>(remaining_, text.size() - at));
            remaining_ -= size;
            if (remaining_ == 0) state_ = state::content_cr;
            return {.what = body_event::data,
                    .consumed = at + size,
                    .data = input.without_first(at).first(size)};
        }
        read_line_byte(text[at]);
        if (state_ != state::failed) ++at;
    }
    bool const ended = state_ == state::ended;
    return {.what = ended ? body_event::end : body_event::failed, .consumed = at, .data = {}};
}

/// One byte that is not content.
void chunked_decoder::read_line_byte(char c) {
    switch (state_) {
        case state::size_first:
        case state::size_digits:
            read_size_byte(c);
            return;
        case state::size_lf:
            if (c != '\n') return fail("a chunk-size line ends in a bare CR");
            return end_size_line();
        case state::content_cr:
            if (c != '\r') return fail("chunk data is longer than its size");
            state_ = state::content_lf;
            return;
        case state::content_lf:
            if (c != '\n') return fail("no CRLF after chunk data");
            state_ = state::size_first;
            return;
        case state::trailer_start:
        case state::trailer_line:
        case state::trailer_lf:
        case state::end_lf:
            read_trailer_byte(c);
            return;
        default:
            read_extension_byte(c);
            return;
    }
}

/// chunk-size = 1*HEXDIG
void chunked_decoder::read_size_byte(char c) {
    int const digit = detail::hex_value(c);
    if (digit >= 0) {
        if (state_ == state::size_first) {
            state_ = state::size_digits;
            digits_ = 0;
            line_bytes_ = 0;
            remaining_ = 0;
        }
        remaining_ = remaining_ << 4 | static_cast<std::uint64_t>(digit);
        ++line_bytes_;
        if (++digits_ > most_digits || remaining_ > most_size) fail("the chunk size is too large");
        return;
    }
    if (state_ == state::size_first) return fail("a chunk-size line without a size");
    if (c == '\r') {
        state_ = state::size_lf;
    } else {
        state_ = state::extension_space;
        read_extension_byte(c);
    }
}

/// chunk-ext = *( BWS ";" BWS chunk-ext-name [ BWS "=" BWS chunk-ext-val ] )
void chunked_decoder::read_extension_byte(char c) {
    bool const space = c == ' ' || c == '\t';
    bool const token = detail::is_class(c, detail::token_char);
    bool const may_end = state_ == state::extension_name || state_ == state::extension_token ||
                         state_ == state::extension_after_quoted;
    if (c == '\r' && may_end) {
        state_ = state::size_lf;
        return;
    }
    if (++line_bytes_ > free_line_bytes && ++overhead_bytes_ > limits_.overhead_bytes)
        return fail("too many bytes of chunk extensions");
    switch (state_) {
        case state::extension_space:
            if (c == ';') state_ = state::extension_name_space;
            if (c == ';' || space) return;
            break;
        case state::extension_name_space:
        case state::extension_name:
            if (token) state_ = state::extension_name;
            if (token || (space && state_ == state::extension_name_space)) return;
            [[fallthrough]];
        case state::extension_equals_space:
            if (state_ == state::extension_name_space) break;
            if (space) state_ = state::extension_equals_space;
            if (c == ';') state_ = state::extension_name_space;
            if (c == '=') state_ = state::extension_value_space;
            if (space || c == ';' || c == '=') return;
            break;
        case state::extension_value_space:
            if (token) state_ = state::extension_token;
            if (c == '"') state_ = state::extension_quoted;
            if (token || c == '"' || space) return;
            break;
        case state::extension_token:
            if (token) return;
            [[fallthrough]];
        case state::extension_after_quoted:
            if (space) state_ = state::extension_space;
            if (c == ';') state_ = state::extension_name_space;
            if (space || c == ';') return;
            break;
        case state::extension_quoted:
            if (c == '"') state_ = state::extension_after_quoted;
            if (c == '\\') state_ = state::extension_escape;
            if (c == '"' || c == '\\' || detail::is_class(c, detail::quoted_char)) return;
            break;
        default:  // extension_escape
            state_ = state::extension_quoted;
            if (detail::is_class(c, detail::value_char)) return;
            break;
    }
    fail("malformed chunk size or extension");
}

void chunked_decoder::end_size_line() {
    state_ = remaining_ != 0 ? state::content : state::trailer_start;
}

void chunked_decoder::read_trailer_byte(char c) {
    if (state_ == state::end_lf) {
        if (c != '\n') return fail("the body ends in a bare CR");
        state_ = state::ended;
        return;
    }
    if (state_ == state::trailer_start && c == '\r') {
        state_ = state::end_lf;
        return;
    }
    if (++trailer_bytes_ > limits_.trailer_bytes) return fail("too many bytes of trailers", 431);
    if (state_ == state::trailer_lf) {
        if (c != '\n') return fail("a trailer line ends in a bare CR");
        return end_trailer_line();
    }
    if (state_ == state::trailer_start) {
        if (++trailer_lines_ > limits_.trailer_count) return fail("too many trailer fields", 431);
        trailer_begin_ = static_cast<std::uint32_t>(trailer_text_.size());
        state_ = state::trailer_line;
    }
    if (c == '\r') {
        state_ = state::trailer_lf;
    } else if (detail::is_class(c, detail::value_char)) {
        trailer_text_ += c;
    } else {
        fail("a bare LF or a control character in a trailer line");
    }
}

/// Checks a whole trailer line and keeps or drops it. A folded line has no name and is refused.
void chunked_decoder::end_trailer_line() {
    state_ = state::trailer_start;
    std::string_view const line = std::string_view(trailer_text_).substr(trailer_begin_);
    std::size_t const colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon)))
        return fail("malformed trailer field line");
    std::string_view const name = line.substr(0, colon);
    if (is_forbidden_trailer(name)) {
        trailer_text_.resize(trailer_begin_);
        return;
    }
    std::string_view const value = trim_space(line.substr(colon + 1));
    char const* const text = trailer_text_.data();
    trailers_.push_back({.name = trailer_begin_,
                         .name_size = static_cast<std::uint32_t>(colon),
                         .value = static_cast<std::uint32_t>(value.data() - text),
                         .value_size = static_cast<std::uint32_t>(value.size())});
}

}  // namespace rill::http1
