// index_page: order, escaping and links of the directory page.
#include "web/index_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

using namespace rill;
using web::index_entry;

namespace {

bool has(std::string const& page, std::string_view part) {
    return page.find(part) != std::string::npos;
}

index_entry file(std::string name, std::uint64_t size = 1) {
    return {.name = std::move(name), .is_directory = false, .size = size, .modified = 0};
}

index_entry folder(std::string name) {
    return {.name = std::move(name), .is_directory = true, .size = 4096, .modified = 0};
}

// The part between the table's start and its end.
std::string rows_of(std::string const& page) {
    std::size_t const begin = page.find("<tbody>");
    std::size_t const end = page.find("</table>");
    REQUIRE(begin < end);
    return page.substr(begin, end - begin);
}

}  // namespace

TEST_CASE("directories come first, and names are in the order that people use") {
    std::vector<index_entry> entries{file("b10"), file("B2"),    folder("z"),      file("a"),
                                     file("b02"), folder("Y10"), folder("y9"),     file("b"),
                                     file("10"),  file("9"),     file("\xc3\xa4"), file("b1x")};
    std::shuffle(entries.begin(), entries.end(), std::mt19937(3));
    web::sort_entries(entries);
    std::string order;
    for (index_entry const& e : entries) order += e.name + ' ';
    CHECK(order == "y9 Y10 z 9 10 a b b1x B2 b02 b10 \xc3\xa4 ");
}

TEST_CASE("the order is one order: any shuffle sorts to the same list") {
    std::mt19937 random(5);
    std::vector<index_entry> entries;
    for (int i = 0; i < 300; ++i) {
        std::string name;
        for (std::size_t n = 1 + random() % 5; n > 0; --n) name += "aAbB019"[random() % 7];
        entries.push_back(file(name));
    }
    web::sort_entries(entries);
    auto same = [](index_entry const& a, index_entry const& b) { return a.name == b.name; };
    for (int round = 0; round < 20; ++round) {
        std::vector<index_entry> again = entries;
        std::shuffle(again.begin(), again.end(), random);
        web::sort_entries(again);
        CHECK(std::equal(again.begin(), again.end(), entries.begin(), same));
    }
}

TEST_CASE("no name can become markup, and each links to its own file") {
    std::string const page =
        web::index_page("", {file("<script>alert(1)</script>"), file("\"onmouseover=\"x"),
                             file("a&amp;b"), file("it's"), file("50% #1?.txt"), file("two\nlines"),
                             file("bad\xff"), file("javascript:alert(1)"), folder("a b")});
    std::string const rows = rows_of(page);
    CHECK_FALSE(has(rows, "<script"));
    CHECK(has(rows, "href=\"%3Cscript%3Ealert%281%29%3C%2Fscript%3E\""));
    CHECK(has(rows, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    CHECK(has(rows, "href=\"%22onmouseover%3D%22x\"><bdi>&quot;onmouseover=&quot;x</bdi>"));
    CHECK(has(rows, "href=\"a%26amp%3Bb\"><bdi>a&amp;amp;b</bdi>"));
    CHECK(has(rows, "<bdi>it&#39;s</bdi>"));
    CHECK(has(rows, "href=\"50%25%20%231%3F.txt\"><bdi>50% #1?.txt</bdi>"));
    CHECK(has(rows, "href=\"two%0Alines\"><bdi>two\xe2\x90\x8alines</bdi>"));
    CHECK(has(rows, "href=\"bad%FF\"><bdi>bad\xef\xbf\xbd</bdi>"));
    CHECK(has(rows, "href=\"javascript%3Aalert%281%29\""));
    CHECK(has(rows, "href=\"a%20b/\"><bdi>a b/</bdi>"));
}

TEST_CASE("UTF-8 names are shown as they are") {
    std::string const page = web::index_page("", {file("\xe4\xb8\xad \xe6\x96\x87.txt")});
    CHECK(has(page, "href=\"%E4%B8%AD%20%E6%96%87.txt\"><bdi>\xe4\xb8\xad \xe6\x96\x87.txt</bdi>"));
}

TEST_CASE("the way up is made of relative links and is escaped as well") {
    std::string const page = web::index_page("a b/<c>/d", {file("x")});
    CHECK(has(page, "<title>Index of /a b/&lt;c&gt;/d/</title>"));
    CHECK(has(page, "href=\"../../../\""));
    CHECK(has(page, "<a href=\"../../\"><bdi>a b</bdi></a>"));
    CHECK(has(page, "<a href=\"../\"><bdi>&lt;c&gt;</bdi></a>"));
    CHECK(has(page, "<span aria-current=\"page\"><bdi>d</bdi></span>"));
    CHECK(has(page, "Parent folder"));
    for (char const* root : {"", ".", "/"}) {
        std::string const top = web::index_page(root, {file("x")});
        CHECK(has(top, "<title>Index of /</title>"));
        CHECK_FALSE(has(top, "../"));
    }
}

TEST_CASE("sizes and times are for people, with the exact ones for sorting") {
    std::string const page =
        web::index_page("", {{.name = "a", .size = 0, .modified = 0},
                             {.name = "b", .size = 1023, .modified = 1'709'164'800},
                             {.name = "c", .size = 1536, .modified = -1},
                             {.name = "d", .size = 1'048'575, .modified = 253'402'300'800},
                             {.name = "e", .size = ~std::uint64_t{0}, .modified = 1'709'164'799}});
    CHECK(has(page, "<td>0 B<td><time datetime=\"1970-01-01 00:00:00Z\">1970-01-01 00:00</time>"));
    CHECK(has(page, "data-s=\"1023\" data-t=\"1709164800\""));
    CHECK(has(page, "<td>1023 B<td><time datetime=\"2024-02-29 00:00:00Z\">"));
    CHECK(has(page, "<td>1.5 KiB<td><time datetime=\"1969-12-31 23:59:59Z\">"));
    CHECK(has(page, "<td>1.0 MiB<td></tr>"));
    CHECK(has(page, "<td>16 EiB<td><time datetime=\"2024-02-28 23:59:59Z\">"));
}

TEST_CASE("the page counts what it shows, and an empty directory says so") {
    CHECK(has(web::index_page("", {folder("d"), file("a", 512), file("b", 512)}),
              "1 folder, 2 files, 1.0 KiB"));
    CHECK(has(web::index_page("", {folder("d"), folder("e")}), "<span>2 folders</span>"));
    std::string const empty = web::index_page("a", {});
    CHECK(has(empty, "This folder is empty."));
    CHECK_FALSE(has(empty, "<table>"));
}

TEST_CASE("the page loads nothing from elsewhere") {
    std::string const page = web::index_page("", {file("x.png")});
    CHECK_FALSE(has(page, "src="));
    CHECK_FALSE(has(page, "@import"));
    CHECK_FALSE(has(page, "url(http"));
    CHECK_FALSE(has(page, "url(\"http"));
}

TEST_CASE(
    "the list as JSON has the order of the page, and names of any bytes lead to their files") {
    std::string const text = web::index_json({{.name = "b", .size = 7, .modified = 1'709'164'805},
                                              {.name = "a\"\xff\n", .size = 0, .modified = -1},
                                              folder("z"),
                                              {.name = "中 文", .modified = 253'402'300'800}});
    CHECK(text ==
          "[\n"
          R"({"name":"z","href":"z/","type":"directory","modified":"1970-01-01T00:00:00Z"},)"
          "\n"
          R"({"name":"a\"\ufffd\u000a","href":"a%22%FF%0A","type":"file","size":0,)"
          R"("modified":"1969-12-31T23:59:59Z"},)"
          "\n"
          R"({"name":"b","href":"b","type":"file","size":7,"modified":"2024-02-29T00:00:05Z"},)"
          "\n"
          R"({"name":"中 文","href":"%E4%B8%AD%20%E6%96%87","type":"file","size":0})"
          "\n]\n");
    CHECK(web::index_json({}) == "[\n]\n");
}
