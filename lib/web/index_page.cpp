// Writes the page that lists a directory: sorting, escaping, and one row for each entry.
#include "web/index_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include "codec/utf8.hpp"
#include "rill/base/percent.hpp"
#include "rill/web/content_type.hpp"
#include "web/index_page_assets.hpp"

namespace rill::web {

namespace {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

constexpr unsigned char folded(char c) noexcept {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

// The run of digits that `text` starts with, without leading zeros; drops all of it from `text`.
std::string_view take_number(std::string_view& text) noexcept {
    std::size_t end = 0;
    while (end != text.size() && is_digit(text[end])) ++end;
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    while (!number.empty() && number.front() == '0') number.remove_prefix(1);
    return number;
}

// Below, at or above zero, as people order names.
int compare_names(std::string_view left, std::string_view right) noexcept {
    std::string_view a = left;
    std::string_view b = right;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            std::string_view const x = take_number(a);
            std::string_view const y = take_number(b);
            if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
            if (int const order = x.compare(y); order != 0) return order;
            continue;
        }
        if (folded(a.front()) != folded(b.front())) {
            return folded(a.front()) < folded(b.front()) ? -1 : 1;
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty()) return a.empty() ? -1 : 1;
    return left.compare(right);
}

// Appends `text` so that a reader sees its characters and a browser sees no markup.
void append_escaped(std::string& to, std::string_view text) {
    while (!text.empty()) {
        auto const first = static_cast<unsigned char>(text.front());
        std::size_t const size = codec::utf8_sequence_size(text);
        if (size == 0) {
            to += "\xef\xbf\xbd";  // U+FFFD
        } else if (first < 0x20 || first == 0x7f) {
            // Control characters have pictures from U+2400 on.
            unsigned const picture = first == 0x7f ? 0x21 : first;
            to += "\xe2\x90";
            to += static_cast<char>(0x80 + picture);
        } else if (first == '&') {
            to += "&amp;";
        } else if (first == '<') {
            to += "&lt;";
        } else if (first == '>') {
            to += "&gt;";
        } else if (first == '"') {
            to += "&quot;";
        } else if (first == '\'') {
            to += "&#39;";
        } else {
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
}

// "987 B", "1.5 KiB", "12 MiB"
std::string size_text(std::uint64_t size) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (size < 1024) return fmt::format("{} B", size);
    auto value = static_cast<double>(size);
    std::size_t unit = 0;
    // 1023.5 and more would print as 1024.
    while (value >= 1023.5 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, units[unit]);
}

// The letter of the style sheet's class for a file: what its icon shows.
char icon_of(std::string_view name) noexcept {
    std::string_view const type = content_type(name).view();
    auto has = [type](std::string_view part) { return type.find(part) != type.npos; };
    if (type.starts_with("image/")) return 'i';
    if (type.starts_with("video/")) return 'v';
    if (type.starts_with("audio/")) return 'a';
    if (type.starts_with("text/")) {
        return has("/x-") || has("javascript") || has("html") || has("css") ? 'c' : 't';
    }
    if (type == http::content_types::binary.view()) return 'f';
    if (has("json") || has("yaml") || has("toml") || has("sql") || has("+xml") || has("/xml")) {
        return 'c';
    }
    for (std::string_view const part :
         {"pdf", "word", "document", "sheet", "presentation", "excel", "powerpoint", "epub"}) {
        if (has(part)) return 'p';
    }
    for (std::string_view const part : {"zip", "-tar", "compressed", "zstd", "-xz", "archive",
                                        ".rar", "package", "-rpm", "iso9660"}) {
        if (has(part)) return 'z';
    }
    return 'f';
}

// The last `count` digits of `value`.
void append_digits(std::string& to, std::int64_t value, std::size_t count) {
    char digits[4] = {};
    for (std::size_t i = count; i > 0; value /= 10)
        digits[--i] = static_cast<char>('0' + value % 10);
    to.append(digits, count);
}

void append_time(std::string& to, std::int64_t seconds) {
    std::string const text = utc_text(seconds);
    if (text.empty()) return;
    to += "<time datetime=\"";
    to += text;
    to += "Z\">";
    to += std::string_view(text).substr(0, text.size() - 3);  // by the minute
    to += "</time>";
}

void append_row(std::string& to, index_entry const& entry) {
    char const icon = entry.is_directory ? 'd' : icon_of(entry.name);
    fmt::format_to(std::back_inserter(to),
                   "<tr data-s=\"{}\" data-t=\"{}\"><td><a class=\"{}\" href=\"",
                   entry.is_directory ? 0 : entry.size, entry.modified, icon);
    to += percent_encode(entry.name);
    to += entry.is_directory ? "/\"><bdi>" : "\"><bdi>";
    append_escaped(to, entry.name);
    to += entry.is_directory ? "/</bdi></a>" : "</bdi></a>";
    to += "<td>";
    if (!entry.is_directory) to += size_text(entry.size);
    to += "<td>";
    append_time(to, entry.modified);
    to += "</tr>\n";
}

std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        std::size_t const end = std::min(path.find('/'), path.size());
        if (end != 0 && path.substr(0, end) != ".") parts.push_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return parts;
}

// The way from the root to this directory: a link for each step, and the last one is where we are.
void append_crumbs(std::string& to, std::vector<std::string_view> const& parts) {
    std::size_t above = parts.size();
    auto open = [&](std::string_view label) {
        to += above == 0 ? "<span aria-current=\"page\"" : "<a";
        to += label;
        if (above != 0) to += " href=\"";
        for (std::size_t i = 0; i < above; ++i) to += "../";
        to += above == 0 ? ">" : "\">";
    };
    auto close = [&] {
        to += above == 0 ? "</span>" : "</a>";
        if (above != 0) --above;
    };
    to += "<nav aria-label=\"Path\">";
    open(" aria-label=\"Home\"");
    to += home_icon;
    if (parts.empty()) to += " Home";
    close();
    for (std::string_view const part : parts) {
        to += "<i>/</i>";
        open({});
        to += "<bdi>";
        append_escaped(to, part);
        to += "</bdi>";
        close();
    }
    to += "</nav>";
}

std::string counted(std::size_t count, std::string_view what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// "3 folders, 12 files, 4.2 MiB"
std::string summary(std::vector<index_entry> const& entries) {
    std::size_t folders = 0;
    std::uint64_t total = 0;
    for (index_entry const& e : entries) {
        if (e.is_directory) {
            ++folders;
        } else {
            total += e.size;
        }
    }
    std::size_t const files = entries.size() - folders;
    std::string text;
    if (folders != 0) text = counted(folders, "folder");
    if (files != 0) {
        text += (text.empty() ? "" : ", ") + counted(files, "file") + ", " + size_text(total);
    }
    return text;
}

}  // namespace

std::string utc_text(std::int64_t seconds) {
    using namespace std::chrono;
    if (seconds < -62'135'596'800 || seconds > 253'402'300'799) return {};
    sys_seconds const moment{std::chrono::seconds(seconds)};
    sys_days const day = floor<days>(moment);
    year_month_day const date(day);
    hh_mm_ss const clock(moment - day);
    std::string text;
    append_digits(text, static_cast<int>(date.year()), 4);
    text += '-';
    append_digits(text, static_cast<unsigned>(date.month()), 2);
    text += '-';
    append_digits(text, static_cast<unsigned>(date.day()), 2);
    text += ' ';
    append_digits(text, clock.hours().count(), 2);
    text += ':';
    append_digits(text, clock.minutes().count(), 2);
    text += ':';
    append_digits(text, clock.seconds().count(), 2);
    return text;
}

void sort_entries(std::vector<index_entry>& entries) {
    std::sort(entries.begin(), entries.end(), [](index_entry const& a, index_entry const& b) {
        if (a.is_directory != b.is_directory) return a.is_directory;
        return compare_names(a.name, b.name) < 0;
    });
}

std::string index_page(std::string_view path, std::vector<index_entry> entries) {
    sort_entries(entries);
    std::vector<std::string_view> const parts = split(path);
    std::string page;
    page.reserve(page_style.size() + page_script.size() + 2048 + entries.size() * 256);
    page += page_start;
    for (std::string_view const part : parts) {
        page += '/';
        append_escaped(page, part);
    }
    page += "/</title>\n<style>";
    page += page_style;
    page += "</style>\n<header>";
    append_crumbs(page, parts);
    page += "</header>\n<main>\n";
    if (entries.empty()) {
        page += "<p class=\"empty\">This folder is empty.</p>\n";
    } else {
        page += table_start;
    }
    if (!parts.empty() && !entries.empty()) page += parent_row;
    if (!entries.empty()) page += "<tbody>\n";
    for (index_entry const& entry : entries) append_row(page, entry);
    if (!entries.empty()) page += "</table>\n";
    page += "</main>\n<footer><span>" + summary(entries) + "</span><span>rill</span></footer>\n";
    page += page_script;
    return page;
}

}  // namespace rill::web
