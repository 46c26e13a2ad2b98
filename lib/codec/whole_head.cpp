// The way of nearly all requests: a head that is whole when it is first looked at, in one pass.
// RFC 9112 sections 3 and 5.
#include <cstring>

#include "codec/field_lines.hpp"
#include "rill/codec/http1_request.hpp"

namespace rill::http1 {

namespace {

// " HTTP/1.", before the digit that tells the two versions apart.
constexpr char version_start[] = " HTTP/1.";
constexpr std::uint32_t version_start_size = sizeof(version_start) - 1;
constexpr std::uint32_t version_size = version_start_size + sizeof("1\r\n") - 1;
// The fields that say how the message or the connection goes on; most heads have none of them.
constexpr known_field_set deciding_fields{known_field::connection, known_field::content_length,
                                          known_field::expect, known_field::transfer_encoding};
constexpr std::uint32_t smallest_head = sizeof("GET / HTTP/1.1\r\n\r\n") - 1;

}  // namespace

std::uint32_t request_parser::read_whole(bytes head) noexcept {
    std::uint32_t const size = parsed_size(head);
    if (size < smallest_head) return 0;
    char const* const base = head.text().data();
    char const* const end = base + size;
    char const* method_end = base + 3;
    method what = method::get;
    if (std::memcmp(base, "GET ", 4) != 0) {
        method_end = detail::scan_class<detail::token_char>(base, end);
        what = find_method({base, method_end});
        if (what == method::other || what == method::connect) return 0;
        if (end - method_end < 2 || *method_end != ' ') return 0;
    }

    char const* const target = method_end + 1;
    if (*target != '/') return 0;
    char const* const path_end = detail::find_path_end(target, end);
    char const* target_end = path_end;
    if (path_end != end && *path_end == '?') target_end = detail::find_target_end(path_end, end);
    if (end - target_end < version_size) return 0;
    if (target_end - target > limits_.target_bytes) return 0;

    char const* const minor = target_end + version_start_size;
    if (std::memcmp(target_end, version_start, version_start_size) != 0 ||
        (*minor != '1' && *minor != '0') || std::memcmp(minor + 1, "\r\n", 2) != 0)
        return 0;

    using span = request_head::span;
    head_.rebase(base);
    head_.method_ = what;
    head_.form_ = target_form::origin;
    head_.minor_version_ = static_cast<std::uint8_t>(*minor - '0');
    head_.method_text_ = span(0, method_end - base);
    head_.target_ = span(target - base, target_end - target);
    head_.path_ = span(target - base, path_end - target);
    head_.query_ =
        path_end == target_end ? span() : span(path_end + 1 - base, target_end - path_end - 1);
    head_.authority_ = span();

    auto const fields = static_cast<std::uint32_t>(target_end + version_size - base);
    auto const found = detail::field_lines::split(head_.fields_, fields, size, limits_.field_count);
    if (found.head_size == 0) return 0;
    head_.size_ = found.head_size;
    field_table const& table = head_.fields_;
    bool const known_host = table.has(known_field::host) && !table.repeats(known_field::host) &&
                            detail::is_plain_host(table.find(known_field::host));
    if (known_host && !table.has_any(deciding_fields)) [[likely]] {
        head_.clear_decisions();
    } else if (!check_head()) {
        return 0;
    }
    complete();
    return found.head_size;
}

}  // namespace rill::http1
