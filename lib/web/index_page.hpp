// What lists a directory: a page, or JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rill::web {

struct index_entry {
    std::string name;  // as the file system has it: any bytes but '/' and NUL
    bool is_directory = false;
    std::uint64_t size = 0;     // bytes; not shown for a directory
    std::int64_t modified = 0;  // seconds since 1970, UTC
};

// Sorts as the page does: directories first, then by name, where letters match in both cases and
// runs of digits compare as numbers ("a2" before "a10").
void sort_entries(std::vector<index_entry>& entries);

// "2026-12-01 02:03:04", or nothing where a year of four digits cannot tell it.
[[nodiscard]] std::string utc_text(std::int64_t seconds);

// The page for `path`, decoded and relative to the root ("" or "." for the root itself, "a/b" for a
// directory below it); the page must be served with a slash at the end of its own path. All links
// are relative, so the root may be mounted anywhere.
//
// Self-contained: nothing is loaded from elsewhere, and it works without its script, which adds
// sorting and a filter. Names that are no UTF-8 or hold control characters or markup are shown
// harmlessly and still link to the right file.
[[nodiscard]] std::string index_page(std::string_view path, std::vector<index_entry> entries);

// The same entries, sorted like the page, as an array of objects: `name`; `href`, which leads to it
// from here whatever its bytes are; `type`, "file" or "directory"; `size` in bytes, of files; and
// `modified` in UTC (RFC 3339), where that can be told. RFC 8259.
[[nodiscard]] std::string index_json(std::vector<index_entry> entries);

}  // namespace rill::web
