// Heads that are accepted and heads that are refused (RFC 9112 sections 2, 3 and 5).
#include <doctest/doctest.h>

#include <string_view>

#include "codec/head_pieces.hpp"

using namespace std::literals;
using rill::testing::check_heads;
using rill::testing::head_case;

TEST_CASE("a request line is read by its grammar and by nothing looser") {
    static constexpr head_case cases[] = {
        {"RFC 9112 3", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 3: 1.0 needs no Host", "GET / HTTP/1.0\r\n\r\n"sv, 0},
        {"RFC 9112 2.2: one empty line before", "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 2.2: two empty lines", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: LF before", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: CR before", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: bare LF after the version", "GET / HTTP/1.1\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: bare CR after the version", "GET / HTTP/1.1\rHost: a\r\n\r\n"sv, 400},
        {"C009: bare LF after the target", "GET /x\nHost: a\r\nContent-Length: 3\r\n\r\nabc"sv,
         400},
        {"RFC 9112 3: no version", "GET /x\r\n\r\n"sv, 400},
        {"RFC 9112 3: no version but a field", "GET /x\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: space before", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: two spaces", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: TAB", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: space after", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: only a method", "GET\r\n\r\n"sv, 400},
        {"RFC 9110 9.1: no token", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9110 9.1: any token", "brew / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9110 9.1: any token", "GETX / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9110 9.1: a token of RTSP", "SETUP / HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 2.3: HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"sv, 505},
        {"RFC 9112 2.3: HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n"sv, 505},
        {"RFC 9112 2.3: HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"sv, 505},
        {"RFC 9113 3.4: the preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"sv, 505},
        {"RFC 9112 2.3: case", "GET / http/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.3: digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.3: digits", "GET / HTTP/11\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.3: digits", "GET / HTTP/1.\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.3: name", "GET / RTSP/1.0\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3: NUL", "GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"not HTTP: TLS", "\x16\x03\x01\x02\x00\x01\x00\x01"sv, 400},
    };
    check_heads(cases);
}

TEST_CASE("a target has one of four forms") {
    static constexpr head_case cases[] = {
        {"RFC 9112 3.2.1", "GET /a/b?c=d?e HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.1: no authority", "GET //a/b HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.1: not absolute", "GET a/b HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.1: not absolute", "GET ?a HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2: fragment", "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 3986 2: not ASCII", "GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 3986 2: DEL", "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"what browsers send in queries", "GET /a?b={c|d} HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.2", "GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.2: Host all the same", "GET http://b/x HTTP/1.1\r\n\r\n"sv, 400},
        {"RFC 9110 4.2.1: empty host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9110 4.2.1: only a port", "GET http://:80/x HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9110 4.2.4: user", "GET http://u@b/x HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9110 4.2: scheme", "GET ftp://b/x HTTP/1.1\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3", "CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.3", "CONNECT [::1]:443 HTTP/1.1\r\nHost: b:443\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.3: no port", "CONNECT b HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3: no port", "CONNECT b: HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3: no port", "CONNECT [::1] HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3: no host", "CONNECT :443 HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3: a path", "CONNECT / HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.3: CONNECT only", "GET b:443 HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.4", "OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n"sv, 0},
        {"RFC 9112 3.2.4: OPTIONS only", "GET * HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
        {"RFC 9112 3.2.4: alone", "OPTIONS *x HTTP/1.1\r\nHost: b\r\n\r\n"sv, 400},
    };
    check_heads(cases);
}

TEST_CASE("a malformed field line is refused, not ignored") {
    static constexpr head_case cases[] = {
        {"RFC 9112 5.1: space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"sv, 400},
        {"RFC 9112 5.1: TAB before the colon", "GET / HTTP/1.1\r\nHost:a\r\nX\t: b\r\n\r\n"sv, 400},
        {"RFC 9112 5: space in a name", "GET / HTTP/1.1\r\nHost: a\r\nX Y: b\r\n\r\n"sv, 400},
        {"RFC 9112 5: no colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"sv, 400},
        {"RFC 9112 5: empty name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"sv, 400},
        {"RFC 9112 5: empty name", "GET / HTTP/1.1\r\n:\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 5: two empty names", "GET / HTTP/1.1\r\nHost: a\r\n:b\r\n:c\r\n\r\n"sv, 400},
        {"RFC 9110 5.1: no tchar", "GET / HTTP/1.1\r\nHost: a\r\nX@Y: b\r\n\r\n"sv, 400},
        {"RFC 9110 5.1: not ASCII", "GET / HTTP/1.1\r\nHost: a\r\nX\xff: b\r\n\r\n"sv, 400},
        {"RFC 9110 5.1: NUL", "GET / HTTP/1.1\r\nHost: a\r\nX\0: b\r\n\r\n"sv, 400},
        {"RFC 9110 5.1: all marks", "GET / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~: b\r\n\r\n"sv, 0},
        {"RFC 9112 2.2: space after the start line", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"sv, 400},
        {"RFC 9112 5.2: folded", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n"sv, 400},
        {"RFC 9112 5.2: folded by TAB", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n\tc\r\n\r\n"sv, 400},
        {"RFC 9112 5.2: more after", "GET / HTTP/1.1\r\nX: b\r\n c\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 5.2: folded, a colon", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c:d\r\n\r\n"sv,
         400},
        {"RFC 9112 5.2: to nothing", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n \r\n\r\n"sv, 400},
        {"RFC 9112 5.2: folded at once", "GET / HTTP/1.1\r\nHost:\r\n a\r\n\r\n"sv, 400},
        {"C011: folded length",
         "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n 0\r\n\r\nhello"sv, 400},
        {"C011: folded coding",
         "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: bare LF ends a line", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: bare LF ends the head", "GET / HTTP/1.1\r\nHost: a\r\n\n"sv, 400},
        {"RFC 9112 2.2: only bare LF", "GET / HTTP/1.1\nHost: a\n\n"sv, 400},
        {"RFC 9112 2.2: bare LF ends an empty head", "GET / HTTP/1.0\r\n\n"sv, 400},
        {"RFC 9112 2.2: bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rc\r\n\r\n"sv, 400},
        {"CVE-2023-30589: bare CR before a name", "GET / HTTP/1.1\r\nX: b\rHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 2.2: CR CR LF", "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n"sv, 400},
        {"CVE-2025-23167: CR LF CR X", "GET / HTTP/1.1\r\nHost: a\r\n\rX: b\r\n\r\n"sv, 400},
        {"RFC 9110 5.5: NUL", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n"sv, 400},
        {"RFC 9110 5.5: control", "GET / HTTP/1.1\r\nHost: a\r\nX: b\x01\r\n\r\n"sv, 400},
        {"RFC 9110 5.5: VT", "GET / HTTP/1.1\r\nHost: a\r\nX: \vb\r\n\r\n"sv, 400},
        {"RFC 9110 5.5: DEL", "GET / HTTP/1.1\r\nHost: a\r\nX: b\x7f\r\n\r\n"sv, 400},
        {"RFC 9110 5.5: TAB and obs-text", "GET / HTTP/1.1\r\nHost: a\r\nX: b\tc\xff\r\n\r\n"sv, 0},
        {"RFC 9110 5.5: empty value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\nY: \t \r\n\r\n"sv, 0},
    };
    check_heads(cases);
}

TEST_CASE("a request says once, and rightly, whom it is for") {
    static constexpr head_case cases[] = {
        {"RFC 9112 3.2: none on 1.1", "GET / HTTP/1.1\r\n\r\n"sv, 400},
        {"RFC 9112 3.2: none on 1.1", "GET / HTTP/1.1\r\nX-Host: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2: two", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2: two on 1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"sv, 400},
        {"RFC 9112 3.2: empty", "GET / HTTP/1.1\r\nHost:\r\n\r\n"sv, 0},
        {"RFC 9110 7.2: port", "GET / HTTP/1.1\r\nHost: a.example:8080\r\n\r\n"sv, 0},
        {"RFC 9110 7.2: sixteen", "GET / HTTP/1.1\r\nHost: a.example.o:8080\r\n\r\n"sv, 0},
        {"RFC 9110 7.2: long", "GET / HTTP/1.1\r\nHost: a-longer.example.org:65535\r\n\r\n"sv, 0},
        {"RFC 9110 7.2: empty port", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n"sv, 0},
        {"RFC 9110 7.2: port", "GET / HTTP/1.1\r\nHost: a:80x\r\n\r\n"sv, 400},
        {"RFC 9110 7.2: port", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"sv, 400},
        {"RFC 9110 7.2: two ports", "GET / HTTP/1.1\r\nHost: a:1:2\r\n\r\n"sv, 400},
        {"RFC 9110 7.2: only a port", "GET / HTTP/1.1\r\nHost: :80\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: v6", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"sv, 0},
        {"RFC 3986 3.2.2: v4 in v6", "GET / HTTP/1.1\r\nHost: [::ffff:1.2.3.4]\r\n\r\n"sv, 0},
        {"RFC 3986 3.2.2: open v6", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: bare v6", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: escape", "GET / HTTP/1.1\r\nHost: a%20b\r\n\r\n"sv, 0},
        {"RFC 3986 3.2.2: escape", "GET / HTTP/1.1\r\nHost: a%2\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: space", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"sv, 400},
        {"RFC 3986 3.2.2: list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"sv, 400},
    };
    check_heads(cases);
}
