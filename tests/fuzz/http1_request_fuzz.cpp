// Fuzzes the request head parser: the one pass over a whole head against the way in steps, over
// llhttp, of one that comes in pieces, and every promise of a parsed head checked by code that
// shares nothing with the parser (RFC 9112 sections 2 to 6).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "rill/codec/http1_request.hpp"

namespace {

using namespace rill::http1;

void require(bool holds, char const* promise) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
}

/// Parses a copy of the first `size` bytes that ends where its memory ends.
head_result parse_copy(request_parser& parser, std::string_view text, std::size_t size) {
    std::unique_ptr<char[]> const copy(new char[size]);
    text.copy(copy.get(), size);
    return parser.parse(rill::bytes(std::string_view(copy.get(), size)));
}

/// All that a head says, as text.
std::string description(request_head const& head) {
    std::string all;
    auto const add = [&all](std::string_view what) { all.append(what).append("\n"); };
    add(head.method_text());
    add(head.target());
    add(head.path());
    add(head.query());
    add(head.host());
    for (std::uint64_t const number :
         {std::uint64_t{static_cast<unsigned>(head.method())},
          std::uint64_t{static_cast<unsigned>(head.form())}, std::uint64_t{head.minor_version()},
          head.content_length().value_or(~std::uint64_t{0}), std::uint64_t{head.chunked()},
          std::uint64_t{head.has_content()}, std::uint64_t{head.keep_alive()},
          std::uint64_t{head.expect_continue()}, std::uint64_t{head.upgrade()}}) {
        add(std::to_string(number));
    }
    for (field const one : head.fields()) {
        add(one.name);
        add(one.value);
    }
    for (std::size_t i = 0; i < known_field_count; ++i) {
        auto const which = static_cast<known_field>(i);
        add(head.find(which));
        add(head.fields().repeats(which) ? "repeats" : "once");
    }
    return all;
}

/// What came of a parse, and what its head says, with the views rebased to `text`.
struct parsed {
    head_result result;
    std::string head;
};

parsed look(request_parser& parser, head_result const& result, std::string_view text) {
    if (result.state != head_state::complete) return {result, {}};
    parser.head().rebase(text.data());
    return {result, description(parser.head())};
}

void check_same(parsed const& whole, parsed const& pieces) {
    require(whole.result.state == pieces.result.state, "pieces end as the whole does");
    require(whole.result.size == pieces.result.size, "pieces have the size of the whole");
    require((whole.result.status == 0) == (pieces.result.status == 0),
            "pieces fail as the whole does");
    require(whole.head == pieces.head, "pieces say what the whole says");
}

bool is_tchar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

/// A head that was accepted must be nothing but a request line, field lines and an empty line, each
/// ended by CRLF, and be rebuilt from its parts.
void check_lines(request_head const& head, std::string_view text) {
    if (text.starts_with("\r\n")) text.remove_prefix(2);
    std::string line(head.method_text());
    line += " " + std::string(head.target()) + " HTTP/1." + std::to_string(head.minor_version());
    line += "\r\n";
    require(text.starts_with(line), "the request line is its parts");
    text.remove_prefix(line.size());
    for (field const one : head.fields()) {
        std::size_t const end = text.find("\r\n");
        require(end != text.npos, "a line ends in CRLF");
        std::string_view const whole = text.substr(0, end);
        require(!one.name.empty(), "a name has a byte");
        for (char const c : one.name) require(is_tchar(c), "a name is a token");
        require(whole.starts_with(one.name) && whole[one.name.size()] == ':', "name, colon");
        for (char const c : whole) {
            auto const value = static_cast<unsigned char>(c);
            require((value >= 0x20 && value != 0x7f) || c == '\t', "no control character");
        }
        std::string_view rest = whole.substr(one.name.size() + 1);
        std::size_t const at = static_cast<std::size_t>(one.value.data() - rest.data());
        require(rest.substr(0, at).find_first_not_of(" \t") == rest.npos, "only space before");
        require(rest.substr(at, one.value.size()) == one.value, "the value is in its line");
        rest.remove_prefix(at + one.value.size());
        require(rest.find_first_not_of(" \t") == rest.npos, "only space after");
        if (!one.value.empty()) {
            require(one.value.front() != ' ' && one.value.back() != ' ', "the value is trimmed");
        }
        text.remove_prefix(end + 2);
    }
    require(text == "\r\n", "the head ends in an empty line");
}

std::size_t count(request_head const& head, std::string_view name) {
    std::size_t found = 0;
    for (field const one : head.fields()) {
        if (equal_ignoring_case(one.name, name)) ++found;
    }
    return found;
}

void check_framing(request_head const& head) {
    std::size_t const lengths = count(head, "content-length");
    std::size_t const codings = count(head, "transfer-encoding");
    require(lengths + codings <= 1, "one framing field at most");
    require(count(head, "host") <= 1, "one Host at most");
    require(head.minor_version() == 0 || count(head, "host") == 1, "1.1 has a Host");
    require(head.chunked() == (codings == 1), "chunked is all that Transfer-Encoding may say");
    require(!head.chunked() || head.minor_version() == 1, "no chunks on 1.0");
    require(head.content_length().has_value() == (lengths == 1), "the length is the field's");
    if (lengths == 1) {
        std::string_view const digits = head.find("Content-Length");
        require(digits.find_first_not_of("0123456789") == digits.npos, "a length is digits");
        require(std::strtoull(std::string(digits).c_str(), nullptr, 10) == head.content_length(),
                "a length is its digits");
    }
    for (std::size_t i = 0; i < known_field_count; ++i) {
        auto const which = static_cast<known_field>(i);
        std::size_t const index = head.fields().find_from(name_of(which), 0);
        require(head.fields().has(which) == (index != field_table::not_found), "known is found");
        if (index != field_table::not_found)
            require(head.find(which).data() == head.fields()[index].value.data(), "the first one");
        require(head.fields().repeats(which) == (count(head, name_of(which)) > 1), "repeats");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    request_limits limits;
    limits.target_bytes = 200;
    limits.head_bytes = 1000;
    limits.field_count = 12;
    request_parser parser(limits);
    parsed const whole = look(parser, parse_copy(parser, text, size), text);
    if (whole.result.state == head_state::complete) {
        std::string const kept(text.substr(0, whole.result.size));
        parser.head().rebase(kept.data());
        check_lines(parser.head(), kept);
        check_framing(parser.head());
        (void)parser.head().upgrades_to("websocket");
    }
    head_result pieces;
    parser.reset();
    for (std::size_t at = 1; at <= size && pieces.state == head_state::need_more; ++at) {
        pieces = parse_copy(parser, text, at);
    }
    check_same(whole, look(parser, pieces, text));
    if (size < 2) return 0;
    parser.reset();
    std::size_t const cut = 1 + (data[size / 2] + std::size_t{data[size - 1]} * 256) % (size - 1);
    pieces = parse_copy(parser, text, cut);
    if (pieces.state == head_state::need_more) pieces = parse_copy(parser, text, size);
    check_same(whole, look(parser, pieces, text));
    if (whole.result.state != head_state::complete) return 0;
    // What stands behind a head, a further one or a part of it, changes nothing.
    std::string const followed =
        std::string(text.substr(0, whole.result.size)) + std::string(text.substr(0, cut));
    parser.reset();
    head_result const first = parse_copy(parser, followed, followed.size());
    check_same(whole, look(parser, first, followed));
    return 0;
}
