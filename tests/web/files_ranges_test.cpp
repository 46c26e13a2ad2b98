// Ranges of files, through a server. RFC 9110 section 14.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "rill/codec/byte_ranges.hpp"
#include "support/site.hpp"

using namespace rill;
using test::raw_answer;
using test::raw_client;
using test::site;

namespace {

std::string digits(std::size_t size) {
    std::string text;
    for (int i = 0; text.size() < size; ++i) text += std::to_string(i) + ' ';
    text.resize(size);
    return text;
}

// What a server sends until it closes, its chunks put together.
raw_answer whole_exchange(site& with, std::string const& request) {
    raw_client other(with.running->at());
    other.send(request);
    std::string const all = other.read_rest();
    std::size_t const end = all.find("\r\n\r\n");
    if (end == std::string::npos) throw std::runtime_error("no head: " + all);
    raw_answer answer;
    answer.head = all.substr(0, end + 4);
    answer.status = std::stoi(all.substr(9));
    std::string_view rest = std::string_view(all).substr(end + 4);
    if (answer.field("transfer-encoding") != "chunked") {
        answer.body = rest;
        return answer;
    }
    for (;;) {
        std::size_t const line = rest.find("\r\n");
        std::size_t const size = std::stoul(std::string(rest.substr(0, line)), nullptr, 16);
        if (size == 0) return answer;
        answer.body += rest.substr(line + 2, size);
        rest.remove_prefix(line + 2 + size + 2);
    }
}

raw_answer get_parts(site& with, std::string const& target, std::string const& range) {
    return whole_exchange(with, "GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n" +
                                    "Range: " + range + "\r\n\r\n");
}

}  // namespace

TEST_CASE("a range is answered with its bytes, whatever the size of the file") {
    site with;
    std::string const large = digits(9'000'000);
    with.disk.write("root/large.bin", large);
    struct row {
        std::string range;
        std::size_t first;
        std::size_t last;
    };
    for (row const& each : {row{"0-0", 0, 0}, row{"5-9", 5, 9}, row{"8999999-", 8999999, 8999999},
                            row{"-7", 8999993, 8999999}, row{"100000-8000000", 100000, 8000000},
                            row{"65536-131071", 65536, 131071}, row{"0-99999999", 0, 8999999},
                            row{"-99999999", 0, 8999999}}) {
        CAPTURE(each.range);
        raw_answer const answer = with.get("/large.bin", "Range: bytes=" + each.range + "\r\n");
        CHECK(answer.status == 206);
        CHECK(answer.field("content-range") ==
              "bytes " + std::to_string(each.first) + "-" + std::to_string(each.last) + "/9000000");
        std::string const part = large.substr(each.first, each.last - each.first + 1);
        CHECK((answer.body == part));
        CHECK(answer.field("content-length") == std::to_string(part.size()));
        CHECK(answer.field("content-type") == "application/octet-stream");
        CHECK_FALSE(answer.field("etag").empty());
        CHECK_FALSE(answer.field("last-modified").empty());
    }
}

TEST_CASE("a suffix longer than the file is the whole file, and an empty one is 416 (C047)") {
    site with;
    with.disk.write("root/ten", "0123456789");
    with.disk.write("root/empty", "");
    raw_answer const all = with.get("/ten", "Range: bytes=-9999\r\n");
    CHECK(all.status == 206);
    CHECK(all.body == "0123456789");
    CHECK(all.field("content-range") == "bytes 0-9/10");
    raw_answer const none = with.get("/ten", "Range: bytes=-0\r\n");
    CHECK(none.status == 416);
    CHECK(none.field("content-range") == "bytes */10");
    CHECK(with.get("/ten", "Range: bytes=10-\r\n").status == 416);
    CHECK(with.get("/ten", "Range: bytes=99999999999999999999-\r\n").status == 416);
    raw_answer const nothing = with.get("/empty", "Range: bytes=-5\r\n");
    CHECK(nothing.status == 200);
    CHECK(nothing.field("content-length") == "0");
    CHECK(with.get("/empty", "Range: bytes=0-\r\n").field("content-range") == "bytes */0");
}

TEST_CASE("a Range that is malformed, of another unit or repeated changes nothing") {
    site with;
    with.disk.write("root/ten", "0123456789");
    for (std::string const fields :
         {"Range: bytes=5-4\r\n", "Range: bytes=a-b\r\n", "Range: lines=0-1\r\n", "Range: \r\n",
          "Range: bytes=0-1\r\nRange: bytes=0-1\r\n", "Range: bytes=0-5,5-6\r\n"}) {
        CAPTURE(fields);
        raw_answer const answer = with.get("/ten", fields);
        CHECK(answer.status == 200);
        CHECK(answer.body == "0123456789");
        CHECK(answer.field("accept-ranges") == "bytes");
        CHECK(answer.field("content-range").empty());
    }
}

TEST_CASE("HEAD ignores Range and says what GET without one does (RFC 9110 section 14.2)") {
    site with;
    with.disk.write("root/ten.txt", "0123456789");
    raw_answer const plain = with.get("/ten.txt");
    raw_answer const head = with.head("/ten.txt", "Range: bytes=0-1\r\n");
    CHECK(head.status == 200);
    for (std::string const name : {"content-length", "content-type", "etag", "last-modified",
                                   "accept-ranges", "cache-control", "vary"}) {
        CAPTURE(name);
        CHECK(head.field(name) == plain.field(name));
    }
}

TEST_CASE("several ranges come as parts, each with its place (RFC 9110 section 15.3.7.2)") {
    site with;
    std::string const large = digits(300'000);
    with.disk.write("root/large.txt", large);
    raw_answer const answer = get_parts(with, "/large.txt", "bytes=200000-, 0-4, 10-140000");
    CHECK(answer.status == 206);
    CHECK(answer.field("content-range").empty());
    std::string const type = answer.field("content-type");
    std::string const start = "multipart/byteranges; boundary=";
    REQUIRE(type.starts_with(start));
    std::string const boundary = type.substr(start.size());
    std::string expected;
    auto part = [&](std::size_t first, std::size_t last) {
        expected += "\r\n--" + boundary + "\r\ncontent-type: text/plain; charset=utf-8\r\n" +
                    "content-range: bytes " + std::to_string(first) + "-" + std::to_string(last) +
                    "/300000\r\n\r\n" + large.substr(first, last - first + 1);
    };
    part(200'000, 299'999);
    part(0, 4);
    part(10, 140'000);
    expected += "\r\n--" + boundary + "--\r\n";
    CHECK((answer.body == expected));
    std::string const again = get_parts(with, "/large.txt", "bytes=0-0,2-2").field("content-type");
    CHECK(again != type);
}

TEST_CASE("of several ranges one that is left comes as itself, and none is 416") {
    site with;
    with.disk.write("root/ten", "0123456789");
    raw_answer const one = with.get("/ten", "Range: bytes=20-30,-2\r\n");
    CHECK(one.status == 206);
    CHECK(one.field("content-range") == "bytes 8-9/10");
    CHECK(one.body == "89");
    CHECK(with.get("/ten", "Range: bytes=20-30,-0\r\n").status == 416);
}

TEST_CASE("the most ranges of a request come as parts, and one more gives the whole file") {
    site with;
    with.disk.write("root/large.txt", digits(1000));
    std::string range = "bytes=0-0";
    for (std::size_t i = 1; i < codec::most_byte_ranges; ++i) {
        range += "," + std::to_string(10 * i) + "-" + std::to_string(10 * i);
    }
    CHECK(get_parts(with, "/large.txt", range).status == 206);
    CHECK(get_parts(with, "/large.txt", range + ",900-901").status == 200);
}

TEST_CASE("a file that becomes shorter while parts of it are sent cuts the answer") {
    site with;
    std::size_t const size = 64 * 1024 * 1024;
    with.disk.write("root/large.bin", std::string(size, 'x'));
    raw_client slow(with.running->at(), 4096);
    slow.send("GET /large.bin HTTP/1.1\r\nHost: a\r\nRange: bytes=0-0,2-60000000\r\n\r\n");
    // The answer has begun, and its end does not fit the client's buffer.
    CHECK(slow.read(true).status == 206);
    with.disk.write("root/large.bin", "x");
    std::string const all = slow.read_rest();
    CHECK(all.find("0\r\n\r\n", all.size() < 5 ? 0 : all.size() - 5) == std::string::npos);
    CHECK(all.size() < size);
}

TEST_CASE("a range is ignored where the answer is not a part of a file (C049)") {
    test::folder const disk;
    web::router routes;
    routes.get("/files/{path...}", web::files(disk.path("root").string()));
    routes.get("/denied", [] { return http::text("no", http::status::forbidden); });
    routes.get("/fails", [] { return http::text("no", http::status::internal_server_error); });
    routes.get("/auth", [] { return http::status::ok; });
    test::test_server const running(routes);
    raw_client client(running.at());
    auto ask = [&](std::string const& target, std::string const& range) {
        return client.ask("GET " + target + " HTTP/1.1\r\nHost: a\r\nRange: bytes=" + range +
                          "\r\n\r\n");
    };
    for (std::string const range : {"0-", "100000-200000", "-5", "0-0,2-3"}) {
        CAPTURE(range);
        CHECK(ask("/denied", range).status == 403);
        CHECK(ask("/denied", range).body == "no");
        CHECK(ask("/fails", range).status == 500);
        CHECK(ask("/auth", range).status == 200);
        CHECK(ask("/files/none", range).status == 404);
        CHECK(ask("/files/sub", range).status == 301);
        CHECK(ask("/files/", range).status == 200);
    }
}
