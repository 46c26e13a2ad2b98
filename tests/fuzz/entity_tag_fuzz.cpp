// Fuzzes entity tags, lists of them, and the conditions that hold them: a tag that is read is found
// in a list of itself, and a list that matches strongly matches weakly.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/preconditions.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill::codec;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    if (auto const tag = parse_entity_tag(text)) {
        std::string const list = "\"other\", " + std::string(text) + " ,";
        RILL_ASSERT(list_has_tag(list, *tag, tag_comparison::weak), "a tag is in its list");
        RILL_ASSERT(list_has_tag(list, *tag, tag_comparison::strong) == !tag->weak,
                    "a weak tag is never strong");
    }
    entity_tag const mine{.opaque = "a"};
    RILL_ASSERT(!list_has_tag(text, mine, tag_comparison::strong) ||
                    list_has_tag(text, mine, tag_comparison::weak),
                "what matches strongly matches weakly");
    std::chrono::sys_seconds const now = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);
    preconditions asked({.tag = mine, .modified = now}, now);
    asked.if_none_match(text);
    asked.if_modified_since(text);
    RILL_ASSERT(asked.judge(true) != preconditions::verdict::failed,
                "reading never fails on these");
    asked.if_match(text);
    asked.if_unmodified_since(text);
    asked.if_range(text);
    static_cast<void>(asked.judge(false));
    return 0;
}
