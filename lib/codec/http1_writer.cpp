// Response heads and chunk heads as bytes (RFC 9112 sections 4, 5 and 7.1).
#include "rill/codec/http1_writer.hpp"

#include <algorithm>
#include <bit>

#include "codec/status_lines.hpp"

namespace rill::http1 {

char* head_writer::put_status(char* at, unsigned code) noexcept {
    RILL_ASSERT(code >= 100 && code <= 999, "a status has three digits");
    std::string_view const line = detail::status_line(code);
    if (!line.empty()) return std::copy(line.begin(), line.end(), at);
    constexpr std::string_view version = "HTTP/1.1 ";
    constexpr std::string_view rest = " \r\n";
    at = std::copy(version.begin(), version.end(), at);
    at = std::to_chars(at, at + 3, code).ptr;
    return std::copy(rest.begin(), rest.end(), at);
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
