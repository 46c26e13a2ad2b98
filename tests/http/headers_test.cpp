// headers: an ordered list of fields that cannot split an answer.
#include "rill/http/headers.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <utility>

#include "rill/base/error.hpp"
#include "support/allocation_count.hpp"

using namespace rill;

static_assert(std::forward_iterator<http::headers::iterator>);
static_assert(!std::is_copy_constructible_v<http::headers>);
static_assert(sizeof(http::headers) == sizeof(void*));

TEST_CASE("fields keep their order and are written as they go on the wire") {
    // RFC 9112 section 5.
    http::headers fields;
    CHECK(fields.empty());
    CHECK(fields.begin() == fields.end());
    fields.add("Vary", "accept");
    fields.add("X-Empty", "");
    fields.add("vary", "  origin\t");
    CHECK(fields.wire() == "Vary: accept\r\nX-Empty: \r\nvary: origin\r\n");
    CHECK(std::distance(fields.begin(), fields.end()) == 3);
    CHECK(fields.get("VARY") == "accept");
    CHECK(fields.contains("x-empty"));
    CHECK(fields.get("x-empty").empty());
    CHECK_FALSE(fields.contains("x"));
}

TEST_CASE("set takes the place of all fields of that name") {
    http::headers fields;
    fields.add("a", "1");
    fields.add("b", "2");
    fields.add("A", "3");
    fields.set("a", "4");
    CHECK(fields.wire() == "b: 2\r\na: 4\r\n");
    CHECK(fields.erase("B") == 1);
    CHECK(fields.erase("B") == 0);
    CHECK(fields.wire() == "a: 4\r\n");
    fields.clear();
    CHECK(fields.empty());
}

TEST_CASE("a field may be set from views of the list itself, also while it grows") {
    http::headers fields;
    fields.set("source", std::string(200, 'x'));
    fields.set("copy", fields.get("source"));
    CHECK(fields.get("copy") == std::string(200, 'x'));
    fields.set("source", fields.get("source").substr(0, 3));
    CHECK(fields.get("source") == "xxx");
    fields.set((*fields.begin()).name, "y");
    CHECK(fields.get("copy") == "y");
    CHECK(fields.erase((*fields.begin()).name) == 1);
}

TEST_CASE("CR, LF, NUL and other controls are refused when a field is set") {
    // RFC 9110 section 5.5; case C023.
    http::headers fields;
    fields.set("x", "kept");
    for (int c = 0; c < 256; ++c) {
        std::string value = "a";
        value += static_cast<char>(c);
        value += "b";
        bool const allowed = c == '\t' || (c >= 0x20 && c != 0x7f);
        CAPTURE(c);
        if (allowed) {
            CHECK_NOTHROW(fields.set("x", value));
            CHECK(fields.get("x") == value);
        } else {
            CHECK_THROWS_AS(fields.set("x", value), error);
        }
    }
    CHECK_THROWS_AS(fields.set("x", "ok\r\nInjected: yes"), error);
    CHECK_FALSE(fields.contains("Injected"));
    CHECK(std::distance(fields.begin(), fields.end()) == 1);
}

TEST_CASE("a name that is no token is refused") {
    // RFC 9110 section 5.6.2.
    http::headers fields;
    for (char const* name : {"", "a b", "a:", "a\r\n", "\xc3\xa9", "a(b)", "a,b", "a/b"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(fields.set(name, "v"), error);
    }
    CHECK(fields.empty());
    CHECK_NOTHROW(fields.set("!#$%&'*+-.^_`|~09azAZ", "v"));
}

TEST_CASE("the list is bounded and a field too much changes nothing") {
    http::headers fields;
    fields.set("a", "1");
    std::string const half(http::headers::max_size / 2, 'x');
    fields.add("big", half);
    CHECK_THROWS_AS(fields.add("big", half), error);
    CHECK(fields.get("a") == "1");
    CHECK(std::distance(fields.begin(), fields.end()) == 2);
}

TEST_CASE("an empty list allocates nothing and a moved one takes its block along") {
    std::size_t const before = test::allocation_count();
    {
        http::headers empty;
        http::headers moved(std::move(empty));
        CHECK(moved.get("x").empty());
        CHECK(moved.erase("x") == 0);
    }
    CHECK(test::allocation_count() == before);
    http::headers fields;
    fields.set("a", "1");
    fields.set("b", "2");
    std::size_t const filled = test::allocation_count();
    http::headers moved(std::move(fields));
    http::headers assigned;
    assigned = std::move(moved);
    CHECK(assigned.get("b") == "2");
    CHECK(test::allocation_count() == filled);
}

TEST_CASE("the fields of another list are added behind its own, or not at all") {
    http::headers common;
    common.add("etag", "\"1\"");
    common.add("Content-Type", "text/css");
    http::headers fields;
    fields.add(common);
    CHECK(fields.wire() == common.wire());
    fields.add("x-more", "1");
    fields.add(common);
    CHECK(fields.wire() ==
          "etag: \"1\"\r\nContent-Type: text/css\r\nx-more: 1\r\netag: \"1\"\r\nContent-Type: "
          "text/css\r\n");
    CHECK(fields.may_contain(http::headers::content_type));
    CHECK(fields.erase("content-type") == 2);
    fields.add(http::headers());
    CHECK(fields.wire() == "etag: \"1\"\r\nx-more: 1\r\netag: \"1\"\r\n");

    http::headers large;
    large.add("x-large", std::string(http::headers::max_size - 20, 'x'));
    std::string const before(large.wire());
    CHECK_THROWS_AS(large.add(fields), error);
    CHECK(large.wire() == before);
}

TEST_CASE("fields that decide over the form of an answer are known without a look at the list") {
    using mark = http::headers::mark;
    struct row {
        std::string_view name;
        mark what;
    };
    constexpr row rows[] = {{"Date", mark::date},
                            {"upgrade", mark::upgrade},
                            {"CONNECTION", mark::connection},
                            {"content-TYPE", mark::content_type},
                            {"Content-Length", mark::content_length},
                            {"Transfer-Encoding", mark::transfer_encoding}};
    for (row const& each : rows) {
        CAPTURE(each.name);
        http::headers fields;
        CHECK_FALSE(fields.may_contain(each.what));
        // Others of the same length are none of them.
        fields.add(std::string(each.name.size(), 'x'), "1");
        for (row const& any : rows) CHECK_FALSE(fields.may_contain(any.what));
        fields.set(each.name, "1");
        for (row const& any : rows) CHECK(fields.may_contain(any.what) == (&any == &each));
        // Growing keeps what is known, and so does moving; an empty list knows nothing.
        fields.add("x-large", std::string(2000, 'x'));
        http::headers moved = std::move(fields);
        CHECK(moved.may_contain(each.what));
        moved.clear();
        CHECK_FALSE(moved.may_contain(each.what));
    }
}
