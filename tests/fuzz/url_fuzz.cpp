// Fuzzes url, remove_dot_segments, percent-encoding and query_pairs: what parses can be read back,
// and whatever is given, nothing reads out of bounds or takes long.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/base/percent.hpp"
#include "rill/base/query.hpp"
#include "rill/base/url.hpp"

namespace {

void check_url(std::string_view text, std::string_view reference) {
    auto const u = rill::url::parse(text);
    if (!u) return;
    auto const again = rill::url::parse(u->text());
    RILL_ASSERT(again, "a URL's own text must parse");
    RILL_ASSERT(*again == *u, "parsing is idempotent");
    RILL_ASSERT(again->host() == u->host(), "the components of the same text are the same");
    RILL_ASSERT(again->path() == u->path(), "the components of the same text are the same");
    RILL_ASSERT(u->target().find('#') == std::string_view::npos, "a fragment is never sent");
    RILL_ASSERT(u->host_field().find('%') == std::string::npos || u->zone().empty(),
                "a zone is never sent");
    RILL_ASSERT(rill::percent_decode(u->path()), "a checked path can be decoded");
    auto const there = u->resolve(reference);
    if (!there) return;
    auto const back = rill::url::parse(there->text());
    RILL_ASSERT(back, "a resolved URL's own text must parse");
    RILL_ASSERT(back->path() == there->path(), "a resolved path stays a path");
    RILL_ASSERT(back->host() == there->host(), "a resolved host stays the host");
}

void check_text(std::string_view text) {
    std::string const clean = rill::remove_dot_segments(text);
    RILL_ASSERT(clean.find("/../") == std::string::npos, "no dot segment is left");
    RILL_ASSERT(!clean.ends_with("/.."), "no dot segment is left");
    RILL_ASSERT(rill::percent_decode(rill::percent_encode(text)).value() == text,
                "encoding is undone by decoding");
    RILL_ASSERT(rill::form_decode(rill::form_encode(text)).value() == text,
                "encoding is undone by decoding");
    static_cast<void>(rill::percent_decode(text));
    std::size_t length = 0;
    for (auto const& pair : rill::query_pairs(text)) {
        length += pair.name.size() + pair.value.size() + 1;
    }
    RILL_ASSERT(length <= text.size() + 1, "pairs do not overlap");
}

}  // namespace

// The input is a URL and, behind the first line end, a reference.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const all(reinterpret_cast<char const*>(data), size);
    std::size_t const end = all.find('\n');
    std::string_view const reference =
        end == std::string_view::npos ? std::string_view() : all.substr(end + 1);
    check_url(all.substr(0, end), reference);
    check_text(all);
    return 0;
}
