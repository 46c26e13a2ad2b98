// Fuzzes the chunked decoder: pieces against whole, and what it accepted against a plain reading of
// the grammar (RFC 9112 section 7.1).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "rill/codec/http1_body.hpp"

namespace {

using namespace rill::http1;

void require(bool holds, char const* promise) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

struct decoded {
    body_event end = body_event::need_more;
    std::string body;
    std::string trailers;
    std::size_t consumed = 0;
    bool operator==(decoded const&) const = default;
};

decoded decode(std::string_view text, std::size_t piece) {
    chunked_limits limits;
    limits.overhead_bytes = 40;
    limits.trailer_bytes = 60;
    limits.trailer_count = 4;
    chunked_decoder decoder(limits);
    decoded result;
    for (std::size_t at = 0; at < text.size() && result.end == body_event::need_more; at += piece) {
        std::string_view const part = text.substr(at, piece);
        std::unique_ptr<char[]> const copy(new char[part.size()]);
        part.copy(copy.get(), part.size());
        rill::bytes input(std::string_view(copy.get(), part.size()));
        body_step step = decoder.next(input);
        for (; step.what == body_event::data; step = decoder.next(input)) {
            require(!step.data.empty() && step.data.size() <= step.consumed,
                    "data is of the input");
            result.body += step.data.text();
            result.consumed += step.consumed;
            input = input.without_first(step.consumed);
        }
        require(step.consumed <= input.size() && step.data.empty(),
                "it consumes what it was given");
        require(step.what != body_event::need_more || step.consumed == input.size(), "all of it");
        result.consumed += step.consumed;
        result.end = step.what;
    }
    for (std::size_t i = 0; i < decoder.trailer_count(); ++i) {
        field const one = decoder.trailer(i);
        require(is_token(one.name) && is_field_value(one.value), "a trailer can be sent on");
        require(!is_forbidden_trailer(one.name), "forbidden trailers are dropped");
        result.trailers += std::string(one.name) + ":" + std::string(one.value) + "\n";
    }
    return result;
}

/// A second reading of a body that was accepted: sizes by strtoull, lines by searching CRLF.
std::string read_again(std::string_view text) {
    std::string body;
    for (;;) {
        std::size_t const end = text.find("\r\n");
        require(end != text.npos, "a size line ends in CRLF");
        std::string const digits(text.substr(0, std::min(text.find_first_of("; \t"), end)));
        require(!digits.empty() &&
                    digits.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos,
                "a size is hexadecimal");
        require(text.substr(0, end).find_first_of("\r\n") == text.npos, "no line end in a line");
        std::uint64_t const size = std::strtoull(digits.c_str(), nullptr, 16);
        text.remove_prefix(end + 2);
        if (size == 0) break;
        require(text.size() > size + 1 && text.substr(size, 2) == "\r\n", "CRLF after the data");
        body += text.substr(0, size);
        text.remove_prefix(size + 2);
    }
    while (!text.starts_with("\r\n")) {
        std::size_t const end = text.find("\r\n");
        require(end != text.npos && text.find(':') < end, "a trailer line has a colon and CRLF");
        text.remove_prefix(end + 2);
    }
    require(text == "\r\n", "the body ends in an empty line");
    return body;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    if (size == 0) return 0;
    decoded const whole = decode(text, size);
    require(decode(text, 1) == whole, "one-byte pieces give the same");
    require(decode(text, 1 + data[size - 1] % 7) == whole, "small pieces give the same");
    if (whole.end == body_event::end)
        require(read_again(text.substr(0, whole.consumed)) == whole.body, "the body is the data");
    return 0;
}
