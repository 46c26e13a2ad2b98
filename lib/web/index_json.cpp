// Writes the entries of a directory as JSON. RFC 8259, RFC 3339.
#include <fmt/format.h>

#include <iterator>

#include "http/json_text.hpp"
#include "rill/base/percent.hpp"
#include "web/index_page.hpp"

namespace rill::web {

namespace {

void append_entry(std::string& to, index_entry const& entry) {
    to += "{\"name\":";
    http::append_json_string(to, entry.name);
    to += ",\"href\":\"";
    to += percent_encode(entry.name);
    to += entry.is_directory ? "/\",\"type\":\"directory\"" : "\",\"type\":\"file\"";
    if (!entry.is_directory) fmt::format_to(std::back_inserter(to), ",\"size\":{}", entry.size);
    std::string modified = utc_text(entry.modified);
    if (!modified.empty()) {
        modified[modified.find(' ')] = 'T';
        to += ",\"modified\":\"" + modified + "Z\"";
    }
    to += '}';
}

}  // namespace

std::string index_json(std::vector<index_entry> entries) {
    sort_entries(entries);
    std::string text;
    text.reserve(16 + entries.size() * 128);
    text += '[';
    for (index_entry const& entry : entries) {
        text += text.size() == 1 ? "\n" : ",\n";
        append_entry(text, entry);
    }
    text += "\n]\n";
    return text;
}

}  // namespace rill::web
