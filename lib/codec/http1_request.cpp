// The request line, and what a whole request head must satisfy (RFC 9112 sections 2.2, 3 and 6).
#include "rill/codec/http1_request.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "codec/chars.hpp"
#include "codec/field_lines.hpp"
#include "codec/field_section.hpp"

namespace rill::http1 {

namespace {

/// Longer than any registered method; RFC 9112 section 3 answers 501 to longer ones.
constexpr std::uint32_t most_method_bytes = 32;

constexpr std::string_view version_and_end = "HTTP/1.1\r\n";

detail::field_section& as_section(std::byte* memory) noexcept {
    return *std::launder(reinterpret_cast<detail::field_section*>(memory));
}

bool is_http_scheme(std::string_view scheme) noexcept {
    return equal_ignoring_case(scheme, "http") || equal_ignoring_case(scheme, "https");
}

}  // namespace

std::string_view request_head::implied_path() const noexcept {
    if (form_ == target_form::authority) return {};
    if (form_ == target_form::asterisk) return "*";
    return method_ == method::options && query_.size == 0 ? "*" : "/";
}

body_framing request_head::framing() const noexcept {
    if (chunked_) return {.kind = body_framing::by::chunks};
    if (content_length_ != 0) return {.kind = body_framing::by::length, .length = content_length_};
    return {};
}

request_parser::request_parser(request_limits limits) noexcept : limits_(limits) {
    static_assert(sizeof(detail::field_section) <= sizeof(section_));
    static_assert(alignof(detail::field_section) <= alignof(std::uint64_t));
    static_assert(std::is_trivially_destructible_v<detail::field_section>);
    static_assert(std::is_aggregate_v<request_limits> &&
                  std::is_trivially_destructible_v<request_limits>);
    static_assert(std::is_aggregate_v<chunked_limits> &&
                  std::is_trivially_destructible_v<chunked_limits>);
    static_assert(sizeof(request_parser) < 2560, "a connection holds one while it reads a head");
    RILL_ASSERT(limits.head_bytes >= 16 && limits.head_bytes <= 65535,
                "choose head_bytes from 16 to 65535");
    RILL_ASSERT(limits.target_bytes >= 1, "choose target_bytes of at least 1");
    RILL_ASSERT(limits.field_count <= field_table::capacity,
                "choose field_count of at most field_table::capacity");
    new (section_.data()) detail::field_section;
}

bool request_parser::fail(std::uint16_t status, char const* reason) noexcept {
    phase_ = phase::failed;
    outcome_ = {head_state::failed, status, 0, reason};
    return false;
}

head_result request_parser::parse_in_steps(bytes head) noexcept {
    if (phase_ >= phase::complete) return outcome_;
    char const* const base = head.text().data();
    std::uint32_t const size = parsed_size(head);
    bool going = true;
    if (phase_ == phase::start) going = read_method(base, size);
    if (going && phase_ == phase::target) {
        going = read_target(base, size) && read_version(base, size);
    }
    if (going && phase_ == phase::fields && read_fields(base, size) && check_head()) complete();
    if (phase_ >= phase::complete) return outcome_;
    if (size == limits_.head_bytes) {
        fail(phase_ == phase::target ? 414 : 431, "the head is longer than head_bytes");
        return outcome_;
    }
    return {};
}

/// One empty line may stand before the request line (RFC 9112 section 2.2), no more.
bool request_parser::read_method(char const* base, std::uint32_t size) noexcept {
    std::uint32_t begin = 0;
    if (size != 0 && base[0] == '\r') {
        if (size == 1) return false;
        if (base[1] != '\n') return fail(400, "bare CR before the request line");
        begin = 2;
    }
    if (size - begin >= 4 && std::memcmp(base + begin, "GET ", 4) == 0) {
        head_.method_ = method::get;
        head_.method_text_ = request_head::span(begin, 3);
        parsed_ = begin + 4;
        phase_ = phase::target;
        return true;
    }
    char const* const end = detail::scan_class<detail::token_char>(base + begin, base + size);
    auto const at = static_cast<std::uint32_t>(end - base);
    if (at - begin > most_method_bytes) return fail(501, "the method is too long");
    if (at == size) return false;
    if (*end != ' ' || at == begin) return fail(400, "malformed method");
    head_.method_ = find_method({base + begin, at - begin});
    head_.method_text_ = request_head::span(begin, at - begin);
    parsed_ = at + 1;
    phase_ = phase::target;
    return true;
}

bool request_parser::read_target(char const* base, std::uint32_t size) noexcept {
    std::uint32_t const begin = head_.method_text_.at + head_.method_text_.size + 1U;
    char const* const end =
        size < 16 ? detail::scan_class<detail::target_char>(base + parsed_, base + size)
                  : detail::find_target_end(base + parsed_, base + size);
    parsed_ = static_cast<std::uint32_t>(end - base);
    if (parsed_ - begin > limits_.target_bytes) return fail(414, "the target is too long");
    if (parsed_ == size) return false;
    if (*end != ' ') return fail(400, "the target ends without a version, or holds a bad byte");
    if (parsed_ == begin) return fail(400, "no target");
    head_.target_ = request_head::span(begin, parsed_ - begin);
    return true;
}

/// `HTTP/1.1` or `HTTP/1.0`, and CRLF. No other version is spoken here.
bool request_parser::read_version(char const* base, std::uint32_t size) noexcept {
    char const* const text = base + parsed_ + 1;
    std::size_t const there = std::min<std::size_t>(size - parsed_ - 1, version_and_end.size());
    constexpr std::size_t major_at = 5;
    constexpr std::size_t minor_at = 7;
    if (there != version_and_end.size() ||
        std::memcmp(text, version_and_end.data(), version_and_end.size()) != 0) {
        for (std::size_t i = 0; i < there; ++i) {
            bool const fits = i == major_at || i == minor_at ? detail::is_digit(text[i])
                                                             : text[i] == version_and_end[i];
            if (!fits) return fail(400, "malformed version, or no CRLF after it");
        }
        if (there > minor_at && (text[major_at] != '1' || text[minor_at] > '1'))
            return fail(505, "neither HTTP/1.1 nor HTTP/1.0");
        if (there != version_and_end.size()) return false;
    }
    head_.minor_version_ = static_cast<std::uint8_t>(text[minor_at] - '0');
    head_.rebase(base);
    if (!split_target(base)) return false;
    parsed_ += 1 + static_cast<std::uint32_t>(version_and_end.size());
    phase_ = phase::fields;
    fields_begin_ = parsed_;
    as_section(section_.data()).start();
    return true;
}

bool request_parser::split_target(char const* base) noexcept {
    using span = request_head::span;
    span const target = head_.target_;
    bool const connects = head_.method_ == method::connect;
    head_.authority_ = {};
    head_.path_ = {};
    head_.query_ = {};
    if (base[target.at] == '/' && !connects) {
        head_.form_ = target_form::origin;
        auto const* const mark =
            target.size == 1
                ? nullptr
                : static_cast<char const*>(std::memchr(base + target.at, '?', target.size));
        std::size_t const end = target.at + target.size;
        std::size_t const path_end = mark != nullptr ? static_cast<std::size_t>(mark - base) : end;
        head_.path_ = span(target.at, path_end - target.at);
        if (mark != nullptr) head_.query_ = span(path_end + 1, end - path_end - 1);
        return true;
    }
    std::string_view const text = head_.target();
    if (text == "*" && head_.method_ == method::options) {
        head_.form_ = target_form::asterisk;
        return true;
    }
    if (!connects) return split_absolute();
    head_.form_ = target_form::authority;
    head_.authority_ = target;
    std::size_t const colon = text.rfind(':');
    bool const has_port =
        colon != text.npos && colon != 0 && colon + 1 != text.size() && text.back() != ']';
    return (has_port && is_host(text)) || fail(400, "CONNECT wants host:port");
}

bool request_parser::split_absolute() noexcept {
    using span = request_head::span;
    std::string_view const text = head_.target();
    std::size_t const colon = text.find("://");
    if (colon == text.npos || !is_http_scheme(text.substr(0, colon)))
        return fail(400, "the target is none of the four forms");
    std::size_t const begin = colon + 3;
    std::size_t const authority_end = std::min(text.find_first_of("/?", begin), text.size());
    std::string_view const authority = text.substr(begin, authority_end - begin);
    if (authority.empty() || !is_host(authority) || authority.front() == ':')
        return fail(400, "the target's host is missing or malformed");
    std::size_t const path_end = std::min(text.find('?', authority_end), text.size());
    std::size_t const at = head_.target_.at;
    head_.form_ = target_form::absolute;
    head_.authority_ = span(at + begin, authority.size());
    head_.path_ = span(at + authority_end, path_end - authority_end);
    if (path_end != text.size()) head_.query_ = span(at + path_end + 1, text.size() - path_end - 1);
    return true;
}

bool request_parser::read_fields(char const* base, std::uint32_t size) noexcept {
    using state = detail::field_section::state;
    state const found = as_section(section_.data()).read(base, parsed_, size);
    parsed_ = size;
    if (found == state::need_more) return false;
    if (found == state::failed) return fail(400, "malformed field line");
    head_.rebase(base);
    auto const lines =
        detail::field_lines::split(head_.fields_, fields_begin_, size, limits_.field_count);
    if (lines.head_size == 0) return fail(lines.status, lines.reason);
    head_.size_ = lines.head_size;
    return true;
}

bool request_parser::check_head() noexcept {
    head_.clear_decisions();
    if (!check_host() || !check_framing()) return false;
    read_connection();
    return check_expectation();
}

/// Spec: RFC 9112 section 3.2. The field must be right even where the target overrides it.
bool request_parser::check_host() noexcept {
    field_table const& fields = head_.fields_;
    if (!fields.has(known_field::host))
        return head_.minor_version_ == 0 || fail(400, "HTTP/1.1 without Host");
    if (fields.repeats(known_field::host)) return fail(400, "more than one Host");
    std::string_view const host = fields.find(known_field::host);
    return is_host(host) || fail(400, "malformed Host");
}

/// Spec: RFC 9112 section 6. Whatever two readers could understand differently is refused: request
/// smuggling lives on such differences.
bool request_parser::check_framing() noexcept {
    field_table const& fields = head_.fields_;
    head_.has_length_ = fields.has(known_field::content_length);
    if (fields.has(known_field::transfer_encoding) && !check_transfer_coding()) return false;
    if (!head_.has_length_) return true;
    if (fields.repeats(known_field::content_length)) return fail(400, "two Content-Length fields");
    auto const length = parse_length(fields.find(known_field::content_length));
    if (!length) return fail(400, "malformed Content-Length");
    if (*length != 0 && head_.method_ == method::connect) return fail(400, "CONNECT with a body");
    head_.content_length_ = *length;
    return true;
}

bool request_parser::check_transfer_coding() noexcept {
    field_table const& fields = head_.fields_;
    std::string_view const coding = fields.find(known_field::transfer_encoding);
    if (head_.has_length_) return fail(400, "Transfer-Encoding and Content-Length");
    if (head_.minor_version_ == 0) return fail(400, "Transfer-Encoding in HTTP/1.0");
    if (head_.method_ == method::connect) return fail(400, "CONNECT with a body");
    if (fields.repeats(known_field::transfer_encoding))
        return fail(400, "two Transfer-Encoding fields");
    if (!equal_ignoring_case(coding, "chunked")) {
        // Another coding under a final chunked is well framed but not implemented; anything else
        // leaves the end of the body unknown.
        std::size_t const comma = coding.rfind(',');
        bool const framed = comma != coding.npos &&
                            equal_ignoring_case(trim_space(coding.substr(comma + 1)), "chunked") &&
                            !list_contains(coding.substr(0, comma), "chunked");
        return framed ? fail(501, "a transfer coding other than chunked")
                      : fail(400, "malformed Transfer-Encoding");
    }
    head_.chunked_ = true;
    return true;
}

/// Spec: RFC 9112 section 9.3 and RFC 9110 section 7.8.
void request_parser::read_connection() noexcept {
    field_table const& fields = head_.fields_;
    if (!fields.has(known_field::connection)) return;
    bool const modern = head_.minor_version_ == 1;
    bool const closes = fields.list_has(known_field::connection, "close");
    head_.keep_alive_ =
        !closes && (modern || fields.list_has(known_field::connection, "keep-alive"));
    head_.upgrade_ = modern && fields.has(known_field::upgrade) &&
                     fields.list_has(known_field::connection, "upgrade");
}

/// Spec: RFC 9110 section 10.1.1.
bool request_parser::check_expectation() noexcept {
    field_table const& fields = head_.fields_;
    if (!fields.has(known_field::expect) || head_.minor_version_ == 0) return true;
    if (fields.repeats(known_field::expect) ||
        !equal_ignoring_case(fields.find(known_field::expect), "100-continue"))
        return fail(417, "an expectation other than 100-continue");
    head_.expect_continue_ = head_.framing().kind != body_framing::by::nothing;
    return true;
}

}  // namespace rill::http1
