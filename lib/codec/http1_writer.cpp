// Response heads and chunk heads as bytes (RFC 9112 sections 4, 5 and 7.1).
#include "rill/codec/http1_writer.hpp"

#include <bit>
#include <charconv>

#include "codec/chars.hpp"
#include "codec/status_lines.hpp"

namespace rill::http1 {

void head_writer::status(unsigned code) noexcept {
    std::string_view const line = detail::status_line(code);
    if (line.empty()) return status(code, {});
    put(line);
}

void head_writer::status(unsigned code, std::string_view text) noexcept {
    if (code < 100 || code > 599 || !is_field_value(text)) return refuse();
    if (!reserve(status_bound(text.size()))) return;
    char const digits[] = {static_cast<char>('0' + code / 100),
                           static_cast<char>('0' + code / 10 % 10),
                           static_cast<char>('0' + code % 10), ' '};
    append("HTTP/1.1 ");
    append({digits, sizeof(digits)});
    if (!text.empty()) append(text);
    append("\r\n");
}

void head_writer::field(std::string_view name, std::string_view value) noexcept {
    if (!is_token(name) || !is_field_value(value)) return refuse();
    if (!reserve(field_bound(name.size(), value.size()))) return;
    append(name);
    append(": ");
    if (!value.empty()) append(value);
    append("\r\n");
}

void head_writer::field(std::string_view name, std::uint64_t number) noexcept {
    char digits[number_bound];
    std::to_chars_result const end = std::to_chars(digits, digits + sizeof(digits), number);
    field(name, std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)));
}

std::size_t write_chunk_head(mutable_bytes into, std::uint64_t size) noexcept {
    RILL_ASSERT(size != 0, "leave empty chunks out: a chunk of no bytes ends the body");
    RILL_ASSERT(into.size() >= chunk_head_bound, "give chunk_head_bound bytes");
    auto* const text = reinterpret_cast<char*>(into.data());
    auto const digits = static_cast<std::size_t>(std::bit_width(size) + 3) / 4;
    for (std::size_t at = digits; at-- != 0; size >>= 4) {
        text[at] = "0123456789abcdef"[size & 15];
    }
    text[digits] = '\r';
    text[digits + 1] = '\n';
    return digits + 2;
}

}  // namespace rill::http1
