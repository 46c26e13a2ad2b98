// Validators, conditions and ranges of a file.
#include "web/file_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

#include "rill/codec/byte_ranges.hpp"
#include "rill/codec/http_date.hpp"
#include "rill/codec/preconditions.hpp"
#include "rill/rt/core.hpp"
#include "web/conditions.hpp"
#include "web/range_parts.hpp"

namespace rill::web {

namespace {

using codec::byte_ranges;
using codec::preconditions;
using http1::known_field;
using std::chrono::seconds;
using std::chrono::sys_seconds;

// The entity tag of a state of a file, quotes included. Which file it is, when it was written and
// how long it is are hashed, because inode numbers are nobody's business; the size stays in sight.
// Strong, since a writer that changes neither size nor the nanoseconds is one that hides.
class file_tag {
public:
    explicit file_tag(file::status const& of) noexcept {
        std::uint64_t hash = 0;
        for (std::uint64_t const part :
             {of.device, of.inode, static_cast<std::uint64_t>(of.modified),
              std::uint64_t{of.modified_ns}, of.size}) {
            hash = mixed(hash ^ part);
        }
        auto const end =
            fmt::format_to_n(text_.data(), text_.size(), "\"{:x}-{:x}\"", hash, of.size);
        size_ = static_cast<std::size_t>(end.out - text_.data());
    }

    [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }

private:
    // The finaliser of splitmix64: every bit of what goes in changes half of what comes out.
    static std::uint64_t mixed(std::uint64_t x) noexcept {
        x += 0x9e3779b97f4a7c15;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
        x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
        return x ^ (x >> 31);
    }

    std::array<char, 36> text_;  // two numbers of 16 digits, a dash and the quotes
    std::size_t size_;
};

// What Last-Modified says. A file from the future is as old as the answer: section 8.8.2.1.
std::optional<sys_seconds> last_modified(file::status const& of, sys_seconds now) noexcept {
    constexpr seconds year_0{-62'167'219'200};  // earlier ones cannot be written
    if (seconds(of.modified) < year_0) return std::nullopt;
    return std::min(sys_seconds(seconds(of.modified)), now);
}

// What the client makes its request depend on, held against a state of the file. `tag` has its
// quotes.
preconditions conditions_on(http1::field_table const& fields, std::string_view tag,
                            file::status const& of, sys_seconds now) {
    codec::entity_tag const to_compare{.opaque = tag.substr(1, tag.size() - 2)};
    return conditions_of(fields, {.tag = to_compare, .modified = last_modified(of, now)}, now);
}

byte_ranges ranges_of(http::request const& req, preconditions const& asked, std::uint64_t size) {
    auto const& fields = req.headers();
    bool const counts = req.method() == http::method::get && fields.has(known_field::range) &&
                        !fields.repeats(known_field::range) && asked.range_counts();
    return counts ? byte_ranges::parse(fields.find(known_field::range), size) : byte_ranges();
}

// What all answers with content say.
void add_fields(http::headers& fields, std::string_view tag, std::optional<sys_seconds> modified,
                std::string_view cache_control) {
    fields.add("etag", tag);
    if (!cache_control.empty()) fields.add("cache-control", cache_control);
    fields.add("accept-ranges", "bytes");
    if (!modified) return;
    std::array<char, codec::http_date_size> date;
    codec::format_http_date(*modified, date);
    fields.add("last-modified", {date.data(), date.size()});
}

// What a cache needs to find and keep its copy, and no more: RFC 9110 section 15.4.5.
http::response not_modified(std::string_view tag, std::string_view cache_control) {
    http::response answer(http::status::not_modified);
    answer.headers().add("etag", tag);
    if (!cache_control.empty()) answer.headers().add("cache-control", cache_control);
    return answer;
}

sys_seconds now_in_seconds() {
    return std::chrono::floor<seconds>(core::current().wall_now());
}

void close_descriptor(void*, int descriptor) noexcept {
    static_cast<void>(file::handle(descriptor));
}

http::response not_satisfiable(std::uint64_t size) {
    std::array<char, codec::content_range_bound> memory;
    http::response answer(http::status::range_not_satisfiable);
    answer.headers().add("content-range", codec::format_unsatisfied_range(size, memory));
    return answer;
}

// 200 or 206 with the body, and the fields that tell of the parts.
http::response content_of(found_file what, byte_ranges const& ranges) {
    auto const parts = ranges.parts();
    std::uint64_t const size = what.about.size;
    if (parts.empty() && what.content) {
        http::shared_text const text(what.content, &what.content->text);
        return {http::status::ok, text, what.type};
    }
    if (parts.empty()) {
        return {http::status::ok, http::file_range(what.open.release(), 0, size, close_descriptor),
                what.type};
    }
    if (parts.size() == 1) {
        std::array<char, codec::content_range_bound> memory;
        http::response answer(
            http::status::partial_content,
            http::file_range(what.open.release(), parts[0].first, parts[0].size, close_descriptor),
            what.type);
        answer.headers().add("content-range", codec::format_content_range(parts[0], size, memory));
        return answer;
    }
    range_parts body(std::move(what.open), size, parts, what.type);
    std::string const type = body.content_type();
    http::response answer(http::status::partial_content, http::body_stream(std::move(body)), {});
    answer.headers().add("content-type", type);
    return answer;
}

}  // namespace

std::shared_ptr<file_content const> make_content(file::status const& about, std::string text,
                                                 std::string_view cache_control) {
    file_content made{.about = about, .text = std::move(text), .fields = {}};
    std::optional<sys_seconds> const modified = last_modified(about, now_in_seconds());
    add_fields(made.fields, file_tag(about).view(), modified, cache_control);
    return std::make_shared<file_content const>(std::move(made));
}

http::response answer_kept_file(http::request const& req,
                                std::shared_ptr<file_content const> content, http::literal type) {
    file_content const& what = *content;
    if (has_conditions(req.headers())) {
        std::string_view const tag = what.fields.get("etag");
        std::string_view const cache_control = what.fields.get("cache-control");
        auto const verdict =
            conditions_on(req.headers(), tag, what.about, now_in_seconds()).judge(true);
        if (verdict == preconditions::verdict::failed) {
            return http::response(http::status::precondition_failed);
        }
        if (verdict == preconditions::verdict::not_modified) {
            return not_modified(tag, cache_control);
        }
    }
    http::shared_text text(std::move(content), &what.text);
    http::response answer(http::status::ok, std::move(text), type);
    answer.headers().add(what.fields);
    return answer;
}

http::response answer_with(http::request const& req, found_file what,
                           std::string_view cache_control) {
    sys_seconds const now = now_in_seconds();
    file_tag const own_tag(what.about);
    auto const modified = last_modified(what.about, now);
    preconditions const asked = conditions_on(req.headers(), own_tag.view(), what.about, now);
    auto const verdict = asked.judge(true);
    if (verdict == preconditions::verdict::failed) {
        return http::response(http::status::precondition_failed);
    }
    bool const varies = what.varies;
    if (verdict == preconditions::verdict::not_modified) {
        http::response answer = not_modified(own_tag.view(), cache_control);
        if (varies) answer.headers().add("vary", "accept-encoding");
        return answer;
    }
    byte_ranges const ranges = ranges_of(req, asked, what.about.size);
    if (ranges.outcome() == byte_ranges::answer::unsatisfiable) {
        return not_satisfiable(what.about.size);
    }
    std::string_view const coding = what.coding;
    http::response answer = content_of(std::move(what), ranges);
    http::headers& fields = answer.headers();
    add_fields(fields, own_tag.view(), modified, cache_control);
    if (varies) fields.add("vary", "accept-encoding");
    if (!coding.empty()) fields.add("content-encoding", coding);
    return answer;
}

}  // namespace rill::web
