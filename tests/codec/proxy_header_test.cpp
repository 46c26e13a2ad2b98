// The PROXY protocol. HAProxy's specification, sections 2.1 and 2.2.
#include "rill/codec/proxy_header.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rill;
using codec::parse_proxy_header;
using codec::proxy_header;

namespace {

// "client of size", "more" or "failed"; the same when it comes byte by byte.
std::string parse(std::string const& text) {
    proxy_header found = parse_proxy_header(text);
    for (std::size_t size = 0; size < text.size(); ++size) {
        auto const part = parse_proxy_header(std::string_view(text).substr(0, size));
        bool const ends_here =
            found.state == proxy_header::progress::complete && size >= found.size;
        bool const may_fail = found.state == proxy_header::progress::failed;
        bool const is_right = part.state == proxy_header::progress::need_more ||
                              part.state == (may_fail ? proxy_header::progress::failed
                                                      : proxy_header::progress::complete);
        CHECK(is_right);
        if (!may_fail) CHECK((part.state == proxy_header::progress::complete) == ends_here);
    }
    if (found.state == proxy_header::progress::need_more) return "more";
    if (found.state == proxy_header::progress::failed) return "failed";
    return found.client.text() + " of " + std::to_string(found.size);
}

std::string binary(char command, char family, std::string const& data) {
    std::string text("\r\n\r\n\0\r\nQUIT\n", 12);
    text += command;
    text += family;
    text += static_cast<char>(data.size() >> 8);
    text += static_cast<char>(data.size() & 255);
    return text + data;
}

}  // namespace

TEST_CASE("a line of version 1 names the client; UNKNOWN names nobody") {
    CHECK(parse("PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\nGET /") ==
          "192.168.0.1:56324 of 47");
    CHECK(parse("PROXY TCP6 2001:db8::1 ::1 65535 0\r\n") == "[2001:db8::1]:65535 of 36");
    CHECK(parse("PROXY UNKNOWN\r\n") == "unknown of 15");
    CHECK(parse("PROXY UNKNOWN ffff:f 1 2 whatever\r\n") == "unknown of 35");
    std::string const longest =
        "PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
        "65535 65535\r\n";
    CHECK(longest.size() == 107);
    CHECK(parse(longest) == "unknown of 107");
    CHECK(parse("PROXY UNKNOWN " + std::string(93, 'x')) == "failed");
    CHECK(parse("PROXY UNKNOWN " + std::string(92, 'x')) == "more");
}

TEST_CASE("a line that is not exactly one of version 1 fails") {
    for (char const* bad :
         {"PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1\r\n",
          "PROXY TCP4 1.2.3.4  1.2.3.4 1 2\r\n", "PROXY TCP4 ::1 ::1 1 2\r\n",
          "PROXY TCP6 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 65536 2\r\n",
          "PROXY TCP4 1.2.3.4 1.2.3.4 01 2\r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 +1 2\r\n",
          "PROXY TCP4 1.2.3.256 1.2.3.4 1 2\r\n", "PROXY tcp4 1.2.3.4 1.2.3.4 1 2\r\n",
          "PROXY UDP4 1.2.3.4 1.2.3.4 1 2\r\n", "PROXY \r\n", "PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rX",
          "GET / HTTP/1.1\r\n", "proxy UNKNOWN\r\n", "X"}) {
        CAPTURE(bad);
        CHECK(parse(bad) == "failed");
    }
}

TEST_CASE("a block of version 2 names the client, whatever follows the addresses") {
    std::string const v4("\x01\x02\x03\x04\x05\x06\x07\x08\x12\x34\x01\xbb", 12);
    CHECK(parse(binary(0x21, 0x11, v4) + "GET") == "1.2.3.4:4660 of 28");
    CHECK(parse(binary(0x21, 0x11, v4 + std::string("\x03\x00\x04zzzz", 7))) ==
          "1.2.3.4:4660 of 35");
    std::string v6(36, '\0');
    v6[15] = 1;
    v6[33] = 80;
    CHECK(parse(binary(0x21, 0x21, v6)) == "[::1]:80 of 52");
    v6[10] = v6[11] = '\xff';
    CHECK(parse(binary(0x21, 0x21, v6)) == "0.0.0.1:80 of 52");
    std::string local(216, '\0');
    local.replace(0, 2, "/x");
    CHECK(parse(binary(0x21, 0x31, local)) == "unix:/x of 232");
    CHECK(parse(binary(0x21, 0x00, "any")) == "unknown of 19");
    CHECK(parse(binary(0x20, 0x11, v4)) == "unknown of 28");  // LOCAL: a health check
    CHECK(parse(binary(0x20, 0x00, "")) == "unknown of 16");
}

TEST_CASE("a block that is short, of another version or too long fails") {
    std::string const v4(12, '\1');
    CHECK(parse(binary(0x21, 0x11, v4.substr(1))) == "failed");
    CHECK(parse(binary(0x21, 0x21, std::string(35, '\0'))) == "failed");
    CHECK(parse(binary(0x21, 0x31, std::string(215, '\0'))) == "failed");
    CHECK(parse(binary(0x21, 0x12, v4)) == "failed");  // a datagram
    CHECK(parse(binary(0x21, 0x01, v4)) == "failed");
    CHECK(parse(binary(0x21, 0x41, v4)) == "failed");
    CHECK(parse(binary(0x22, 0x11, v4)) == "failed");
    CHECK(parse(binary(0x11, 0x11, v4)) == "failed");
    CHECK(parse(binary(0x21, 0x11, std::string(4080, '\1'))) == "1.1.1.1:257 of 4096");
    CHECK(parse(binary(0x21, 0x11, std::string(4081, '\1'))) == "failed");
}
