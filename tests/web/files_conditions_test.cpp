// Conditional requests for files, through a server. RFC 9110 section 13.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "support/site.hpp"

using namespace rill;
using test::raw_answer;
using test::site;

namespace {

// Sets when a file was last written.
void set_time(std::filesystem::path const& of, std::int64_t seconds, long nanoseconds = 0) {
    timespec const times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    REQUIRE(::utimensat(AT_FDCWD, of.c_str(), times, 0) == 0);
}

constexpr std::int64_t day = 784'111'777;
std::string const earlier = "Sun, 06 Nov 1994 08:49:36 GMT";
std::string const same = "Sun, 06 Nov 1994 08:49:37 GMT";
std::string const after = "Sun, 06 Nov 1994 08:49:38 GMT";

}  // namespace

TEST_CASE("a file says its tag and when it was written, and the same again while it stays") {
    site with;
    set_time(with.disk.path("root/a.txt"), day);
    raw_answer const first = with.get("/a.txt");
    CHECK(first.field("last-modified") == same);
    std::string const tag = first.field("etag");
    CHECK(tag.starts_with('"'));
    CHECK(tag.ends_with('"'));
    CHECK(with.get("/a.txt").field("etag") == tag);
    CHECK(with.get("/./a.txt").field("etag") == tag);
}

TEST_CASE("a file that is written, touched within its second, or replaced has another tag") {
    site with;
    auto const file = with.disk.path("root/a.txt");
    set_time(file, day);
    std::string const tag = with.get("/a.txt").field("etag");
    set_time(file, day, 1);
    CHECK(with.get("/a.txt").field("etag") != tag);
    with.disk.write("root/a.txt", "SMALL, grown");
    set_time(file, day);
    CHECK(with.get("/a.txt").field("etag") != tag);
    with.disk.write("root/new", "small");
    set_time(with.disk.path("root/new"), day);
    std::filesystem::rename(with.disk.path("root/new"), file);
    CHECK(with.get("/a.txt").field("etag") != tag);
}

TEST_CASE("who has the file gets 304 without a body: weak tags, lists and the star (C051)") {
    site with({.cache_control = "max-age=60"});
    std::string const tag = with.get("/a.txt").field("etag");
    for (std::string const& value : {tag, "W/" + tag, "\"x\", " + tag, std::string("*")}) {
        CAPTURE(value);
        for (bool const head : {false, true}) {
            std::string const fields = "If-None-Match: " + value + "\r\nRange: bytes=0-1\r\n";
            raw_answer const answer =
                head ? with.head("/a.txt", fields) : with.get("/a.txt", fields);
            CHECK(answer.status == 304);
            CHECK(answer.body.empty());
            CHECK(answer.field("etag") == tag);
            CHECK(answer.field("cache-control") == "max-age=60");
            CHECK(answer.count("content-length") == 0);
            CHECK(answer.count("content-type") == 0);
            CHECK(answer.count("date") == 1);
        }
    }
    CHECK(with.get("/a.txt", "If-None-Match: \"x\"\r\n").body == "small");
    std::string const lines = "If-None-Match: \"x\"\r\nIf-None-Match: " + tag + "\r\n";
    CHECK(with.get("/a.txt", lines).status == 304);
}

TEST_CASE("If-Modified-Since is heeded, and a tag goes before it (C051)") {
    site with;
    set_time(with.disk.path("root/a.txt"), day, 999);
    CHECK(with.get("/a.txt", "If-Modified-Since: " + earlier + "\r\n").status == 200);
    CHECK(with.get("/a.txt", "If-Modified-Since: " + same + "\r\n").status == 304);
    CHECK(with.get("/a.txt", "If-Modified-Since: " + after + "\r\n").status == 304);
    CHECK(with.get("/a.txt", "If-Modified-Since: never\r\n").status == 200);
    CHECK(
        with.get("/a.txt", "If-None-Match: \"x\"\r\nIf-Modified-Since: " + same + "\r\n").status ==
        200);
}

TEST_CASE("a condition for a change that does not hold is 412") {
    site with;
    set_time(with.disk.path("root/a.txt"), day);
    std::string const tag = with.get("/a.txt").field("etag");
    CHECK(with.get("/a.txt", "If-Match: " + tag + "\r\n").status == 200);
    CHECK(with.get("/a.txt", "If-Match: *\r\n").status == 200);
    CHECK(with.get("/a.txt", "If-Match: \"x\"\r\n").status == 412);
    CHECK(with.get("/a.txt", "If-Match: W/" + tag + "\r\n").status == 412);
    CHECK(with.get("/a.txt", "If-Unmodified-Since: " + earlier + "\r\n").status == 412);
    CHECK(with.get("/a.txt", "If-Unmodified-Since: " + same + "\r\n").status == 200);
    // Only where it would have been 200: section 13.2.1.
    CHECK(with.get("/none", "If-Match: \"x\"\r\n").status == 404);
    CHECK(with.get("/sub", "If-Match: \"x\"\r\n").status == 301);
}

TEST_CASE("If-Range lets a range through only for the state that the client has (C051)") {
    site with;
    set_time(with.disk.path("root/a.txt"), day);
    std::string const tag = with.get("/a.txt").field("etag");
    std::string const range = "Range: bytes=1-2\r\n";
    CHECK(with.get("/a.txt", range + "If-Range: " + tag + "\r\n").body == "ma");
    CHECK(with.get("/a.txt", range + "If-Range: " + same + "\r\n").body == "ma");
    for (std::string const& value :
         {std::string("\"old\""), "W/" + tag, earlier, after, std::string("x"), tag + ", " + tag}) {
        CAPTURE(value);
        raw_answer const answer = with.get("/a.txt", range + "If-Range: " + value + "\r\n");
        CHECK(answer.status == 200);
        CHECK(answer.body == "small");
    }
    // A range that cannot be met counts for nothing then, either.
    CHECK(with.get("/a.txt", "Range: bytes=99-\r\nIf-Range: \"old\"\r\n").status == 200);
    // Without a range it says nothing.
    CHECK(with.get("/a.txt", "If-Range: \"old\"\r\n").status == 200);
}

TEST_CASE("a file from the future was written now (RFC 9110 section 8.8.2.1)") {
    site with;
    set_time(with.disk.path("root/a.txt"), 32'503'680'000);  // the year 3000
    raw_answer const answer = with.get("/a.txt");
    CHECK(answer.field("last-modified").find("3000") == std::string::npos);
    CHECK_FALSE(answer.field("last-modified").empty());
}

TEST_CASE("without Cache-Control none is sent, and with it on files alone") {
    site without;
    CHECK(without.get("/a.txt").count("cache-control") == 0);
    site with({.cache_control = "public, max-age=31536000, immutable"});
    CHECK(with.get("/a.txt").field("cache-control") == "public, max-age=31536000, immutable");
    CHECK(with.get("/none").count("cache-control") == 0);
    CHECK(with.get("/").count("cache-control") == 0);
}
