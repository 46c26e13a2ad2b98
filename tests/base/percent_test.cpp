// Percent-encoding, forms and the pairs of a query.
#include "rill/base/percent.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "rill/base/query.hpp"

using namespace std::string_literals;

TEST_CASE("decoding happens once and shows every byte to the caller") {
    CHECK(rill::percent_decode("a%2Fb%2fc").value() == "a/b/c");
    CHECK(rill::percent_decode("%252e").value() == "%2e");
    CHECK(rill::percent_decode("a%00b").value() == "a\0b"s);
    CHECK(rill::percent_decode("%E4%B8%AD").value() == "\xe4\xb8\xad");
    CHECK(rill::percent_decode("a+b").value() == "a+b");
    CHECK(rill::percent_decode("").value().empty());
}

TEST_CASE("a bad percent sign is an error") {
    for (char const* bad : {"%", "a%", "%2", "%2g", "%g2", "%%20", "%+1", "% 1", "%-1", "50%"}) {
        CAPTURE(bad);
        CHECK(rill::percent_decode(bad).error() == rill::errc::bad_url);
        CHECK(rill::form_decode(bad).error() == rill::errc::bad_url);
    }
}

TEST_CASE("text is decoded in place and never beyond the memory that is given") {
    std::string text = "/a%20b/%41";
    auto const size = rill::percent_decode(text, text);
    REQUIRE(size);
    CHECK(text.substr(0, *size) == "/a b/A");
    char small[2];
    auto const refused = rill::percent_decode("abc", rill::mutable_bytes(small, sizeof small));
    CHECK(refused.error() == rill::errc::limit_exceeded);
}

TEST_CASE("each set keeps its characters and encodes all others") {
    using rill::percent_encode;
    using rill::url_set;
    std::string const text = "aZ9-._~!$&'()*+,;=:@/?#[]% \"\x80";
    CHECK(percent_encode(text) ==
          "aZ9-._~%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%25%20%22%80");
    CHECK(percent_encode(text, url_set::host) ==
          "aZ9-._~!$&'()*+,;=%3A%40%2F%3F%23%5B%5D%25%20%22%80");
    CHECK(percent_encode(text, url_set::userinfo) ==
          "aZ9-._~!$&'()*+,;=:%40%2F%3F%23%5B%5D%25%20%22%80");
    CHECK(percent_encode(text, url_set::segment) ==
          "aZ9-._~!$&'()*+,;=:@%2F%3F%23%5B%5D%25%20%22%80");
    CHECK(percent_encode(text, url_set::path) == "aZ9-._~!$&'()*+,;=:@/%3F%23%5B%5D%25%20%22%80");
    CHECK(percent_encode(text, url_set::query) == "aZ9-._~!$&'()*+,;=:@/?%23%5B%5D%25%20%22%80");
}

TEST_CASE("any bytes survive encoding and decoding, in URLs and in forms") {
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    CHECK(rill::percent_decode(rill::percent_encode(all)).value() == all);
    CHECK(rill::percent_decode(rill::percent_encode(all, rill::url_set::query)).value() == all);
    CHECK(rill::form_decode(rill::form_encode(all)).value() == all);
    CHECK(rill::form_encode("a b+c") == "a+b%2Bc");
    CHECK(rill::form_decode("a+b%2Bc").value() == "a b+c");
}

TEST_CASE("a query falls into its pairs, in order and still encoded") {
    std::vector<std::string> seen;
    for (auto const& pair : rill::query_pairs("a=1&b=&c&=d&&e=f=g&h=%26+")) {
        seen.push_back(std::string(pair.name) + "|" + std::string(pair.value) +
                       (pair.has_value ? "" : "!"));
    }
    CHECK(seen == std::vector<std::string>{"a|1", "b|", "c|!", "|d", "e|f=g", "h|%26+"});
    for (char const* empty : {"", "&", "&&&"}) {
        rill::query_pairs const pairs(empty);
        CHECK(pairs.begin() == pairs.end());
    }
}
