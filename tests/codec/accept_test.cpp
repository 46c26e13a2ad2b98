// Weighted lists. RFC 9110 section 12.
#include "rill/codec/accept.hpp"

#include <doctest/doctest.h>

using namespace rill::codec;

TEST_CASE("a coding has the weight that is said, that of the star, or none") {
    CHECK(coding_weight("gzip, br", "br") == 1000);
    CHECK(coding_weight("gzip;q=0.5, BR ; q=0.125", "br") == 125);
    CHECK(coding_weight("gzip;q=0", "gzip") == 0);
    CHECK(coding_weight("gzip;q=0, *", "gzip") == 0);
    CHECK(coding_weight("*, gzip;q=0", "gzip") == 0);
    CHECK(coding_weight("*;q=0.3", "zstd") == 300);
    CHECK(coding_weight("gzip", "zstd") == 0);
    CHECK(coding_weight("", "gzip") == 0);
    CHECK(coding_weight("", "identity") == 1);
    CHECK(coding_weight("*;q=0", "identity") == 0);
    CHECK(coding_weight("identity;q=0.9", "identity") == 900);
}

TEST_CASE("a weight that is malformed is none") {
    for (std::string_view const list :
         {"br;q=2", "br;q=-1", "br;q=", "br;q=0.1234", "br;q=0.x", "br;q=.5", "br;q=1e0"}) {
        CAPTURE(list);
        CHECK(coding_weight(list, "br") == 0);
    }
    CHECK(coding_weight("br;q=1.000", "br") == 1000);
    CHECK(coding_weight("br;q=1.", "br") == 1000);
    CHECK(coding_weight("br;q=1.5", "br") == 1000);
}

TEST_CASE("of the ranges of types the most specific one decides, wherever it stands") {
    CHECK(type_weight("", "text/html") == 1000);
    CHECK(type_weight("application/json", "text/html") == 0);
    CHECK(type_weight("application/json", "application/json") == 1000);
    CHECK(type_weight("text/*;q=0.5, text/html;q=0.7, */*;q=0.1", "text/html") == 700);
    CHECK(type_weight("*/*;q=0.1, text/*;q=0.5", "text/plain") == 500);
    CHECK(type_weight("text/*;q=0.5, */*;q=0.1", "application/json") == 100);
    CHECK(type_weight("Text/HTML;level=1;q=0.4", "text/html") == 400);
    CHECK(type_weight("text/html;q=0, */*", "text/html") == 0);
}

TEST_CASE("of the ranges of languages the longest one decides, and one that goes on is a hint") {
    // RFC 9110 section 12.5.4, RFC 4647 sections 3.3.1 and 3.4.
    CHECK(language_weight("", "de") == 1000);
    CHECK(language_weight("de", "de") == 1000);
    CHECK(language_weight("DE", "de-CH") == 1000);
    CHECK(language_weight("de;q=0.3, de-CH;q=0.6, *;q=0.1", "de-CH") == 600);
    CHECK(language_weight("de-CH;q=0.6, de;q=0.3", "de-CH-1996") == 600);
    CHECK(language_weight("*;q=0.1, de-CH;q=0.6", "de") == 600);
    CHECK(language_weight("*;q=0.1", "de") == 100);
    CHECK(language_weight("d", "de") == 0);
    CHECK(language_weight("de-C", "de-CH") == 0);
    CHECK(language_weight("de;q=2", "de") == 0);
    CHECK(language_weight("-", "de") == 0);
}
