// Where a request's body ends: every spelling that two readers could understand differently is
// refused (RFC 9112 sections 6 and 11.2, RFC 9110 section 8.6).
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "codec/head_pieces.hpp"
#include "rill/codec/http1_request.hpp"

using namespace std::literals;
using namespace rill::http1;
using rill::testing::parse_in_every_way;
using rill::testing::parsed_head;

namespace {

std::string post(std::string_view lines, std::string_view version = "1.1") {
    return "POST / HTTP/" + std::string(version) + "\r\nHost: a\r\n" + std::string(lines) + "\r\n";
}

struct spelling {
    std::string_view lines;
    unsigned status;
};

}  // namespace

TEST_CASE("Content-Length is digits and nothing else, once") {
    // C002; RFC 9110 section 8.6.
    static constexpr spelling cases[] = {
        {"Content-Length: 5\r\n", 0},
        {"Content-Length: \t5 \r\n", 0},
        {"Content-Length: 5\t\r\n", 0},
        {"Content-Length:\t5 \t \r\nX: y\r\n", 0},
        {"content-length:0\r\n", 0},
        {"Content-Length: 007\r\n", 0},
        {"Content-Length: 9223372036854775807\r\n", 0},
        {"Content-Length: 9223372036854775808\r\n", 400},
        {"Content-Length: 18446744073709551616\r\n", 400},
        {"Content-Length: 1000000000000000000000000\r\n", 400},
        {"Content-Length: 1_0\r\n", 400},
        {"Content-Length: +5\r\n", 400},
        {"Content-Length: -5\r\n", 400},
        {"Content-Length: -268435455700\r\n", 400},
        {"Content-Length: 0x5\r\n", 400},
        {"Content-Length: 5 5\r\n", 400},
        {"Content-Length: 5.0\r\n", 400},
        {"Content-Length: 5;\r\n", 400},
        {"Content-Length: \"5\"\r\n", 400},
        {"Content-Length:\r\n", 400},
        {"Content-Length: five\r\n", 400},
        {"Content-Length: 5, 5\r\n", 400},
        {"Content-Length: 5, 6\r\n", 400},
        {"Content-Length: 5,\r\n", 400},
        {"Content-Length: 5\r\nContent-Length: 5\r\n", 400},
        {"Content-Length: 5\r\nX: y\r\nContent-Length: 6\r\n", 400},
        {"Content-Length: 5\r\ncontent-length: 0\r\n", 400},
        {"Content-Length : 5\r\n", 400},
        {"Content-Length\r\n", 400},
        {" Content-Length: 5\r\n", 400},
    };
    for (spelling const& one : cases) {
        CAPTURE(one.lines);
        CHECK(parse_in_every_way(post(one.lines)).status == one.status);
    }
}

TEST_CASE("Transfer-Encoding is chunked and nothing else, once") {
    // RFC 9112 sections 6.1 and 6.3: 501 where chunked comes last over a coding that is not
    // implemented, 400 where the body's end would be unknown.
    static constexpr spelling cases[] = {
        {"Transfer-Encoding: chunked\r\n", 0},
        {"transfer-encoding:Chunked\r\n", 0},
        {"Transfer-Encoding:  chunked\r\n", 0},
        {"Transfer-Encoding: chunked\t\r\n", 0},
        {"Transfer-Encoding: chunked, identity\r\n", 400},
        {"Transfer-Encoding: identity\r\n", 400},
        {"Transfer-Encoding: identity, chunked\r\n", 501},
        {"Transfer-Encoding: gzip, chunked\r\n", 501},
        {"Transfer-Encoding: gzip\r\n", 400},
        {"Transfer-Encoding: chunked, gzip\r\n", 400},
        {"Transfer-Encoding: chunked, chunked\r\n", 400},
        {"Transfer-Encoding: chunked,\r\n", 400},
        {"Transfer-Encoding: ,chunked\r\n", 501},
        {"Transfer-Encoding: xchunked\r\n", 400},
        {"Transfer-Encoding: chunkedx\r\n", 400},
        {"Transfer-Encoding: chunk\r\n", 400},
        {"Transfer-Encoding: x chunked\r\n", 400},
        {"Transfer-Encoding: chunked;q=1\r\n", 400},
        {"Transfer-Encoding: \"chunked\"\r\n", 400},
        {"Transfer-Encoding: 'chunked'\r\n", 400},
        {"Transfer-Encoding: \vchunked\r\n", 400},
        {"Transfer-Encoding: chunked\v\r\n", 400},
        {"Transfer-Encoding: chunked\xa0\r\n", 400},
        {"Transfer-Encoding: chun\xffked\r\n", 400},
        {"Transfer-Encoding:\r\n", 400},
        {"Transfer-Encoding:\r\n chunked\r\n", 400},
        {"Transfer-Encoding: chunked\r\n \r\n", 400},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", 400},
        {"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", 400},
        {"Transfer-Encoding : chunked\r\n", 400},
        {"Transfer-Encoding\t: chunked\r\n", 400},
        {" Transfer-Encoding: chunked\r\n", 400},
        {"X: y\r\n\tTransfer-Encoding: chunked\r\n", 400},
        {"X: y\nTransfer-Encoding: chunked\r\n", 400},
        {"X: y\rTransfer-Encoding: chunked\r\n", 400},
        {"Transfer-Encoding\r\n: chunked\r\n", 400},
        {"\0Transfer-Encoding: chunked\r\n"sv, 400},
        {"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400},
        {"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400},
        {"Content-Length: 5\r\nTransfer-Encoding: identity\r\n", 400},
        {"Content-Length: 0\r\nTransfer-Encoding: gzip, chunked\r\n", 400},
    };
    for (spelling const& one : cases) {
        CAPTURE(one.lines);
        CHECK(parse_in_every_way(post(one.lines)).status == one.status);
    }
}

TEST_CASE("a field that is only nearly Transfer-Encoding frames nothing") {
    // RFC 9110 section 5.1: another name is another field.
    for (char const* name : {"Transfer_Encoding", "Transfer-Encodin", "Transfer--Encoding",
                             "XTransfer-Encoding", "Transfer.Encoding"}) {
        CAPTURE(name);
        parsed_head const head(post(std::string(name) + ": chunked\r\nContent-Length: 3\r\n"));
        CHECK_FALSE(head->chunked());
        CHECK(head->content_length() == 3);
    }
}

TEST_CASE("HTTP/1.0 has no transfer codings") {
    // RFC 9112 section 6.1.
    std::string const coding = "Transfer-Encoding: chunked\r\n";
    CHECK(parse_in_every_way(post(coding, "1.0")).status == 400);
    CHECK(parse_in_every_way(post("Connection: keep-alive\r\n" + coding, "1.0")).status == 400);
}

TEST_CASE("a request without both fields has no body, whatever its method") {
    // RFC 9112 section 6.3, rule 7.
    CHECK(parsed_head(post(""))->framing().kind == body_framing::by::nothing);
    CHECK(parsed_head(post("Content-Length: 0\r\n"))->framing().kind == body_framing::by::nothing);
    CHECK(parsed_head(post("Content-Length: 0\r\n"))->content_length() == 0);
    CHECK_FALSE(parsed_head(post(""))->content_length());
    parsed_head const chunked(post("Transfer-Encoding: chunked\r\n"));
    CHECK(chunked->framing().kind == body_framing::by::chunks);
    parsed_head const get("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n");
    CHECK(get->framing().length == 4);
}

TEST_CASE("CONNECT carries no body") {
    // RFC 9110 section 9.3.6.
    std::string const line = "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n";
    CHECK(parse_in_every_way(line + "Content-Length: 0\r\n\r\n").status == 0);
    CHECK(parse_in_every_way(line + "Content-Length: 1\r\n\r\n").status == 400);
    CHECK(parse_in_every_way(line + "Transfer-Encoding: chunked\r\n\r\n").status == 400);
}
