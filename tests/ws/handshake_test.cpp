// The opening handshake of a server. RFC 6455 section 4.2.
#include <doctest/doctest.h>

#include <string>

#include "codec/base64.hpp"
#include "codec/ws_handshake.hpp"

using namespace rill::codec;

TEST_CASE("the key of RFC 6455 section 1.3 has the answer that stands there") {
    CHECK(ws_accept_of("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("a key is base64 of sixteen bytes") {
    CHECK(is_ws_key("dGhlIHNhbXBsZSBub25jZQ=="));
    CHECK_FALSE(is_ws_key(""));
    CHECK_FALSE(is_ws_key("dGhlIHNhbXBsZSBub25jZQ"));
    CHECK_FALSE(is_ws_key("dGhlIHNhbXBsZSBub25jZR=="));
    CHECK_FALSE(is_ws_key("dGhlIHNhbXBsZSBub25jZSE="));
    CHECK_FALSE(is_ws_key("dGhlIHNhbXBs!SBub25jZQ=="));
}

TEST_CASE("base64 is written as it is read (RFC 4648 section 10)") {
    for (auto const& [plain, text] :
         {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
          std::pair("foo", "Zm9v"), std::pair("foob", "Zm9vYg=="), std::pair("fooba", "Zm9vYmE="),
          std::pair("foobar", "Zm9vYmFy")}) {
        CHECK(encode_base64(plain) == text);
        CHECK(decode_base64(text) == plain);
    }
}

TEST_CASE("an origin is the request's own when scheme aside it is the host, port and all") {
    CHECK(is_same_origin("https://Example.org:8080", "example.org:8080"));
    CHECK_FALSE(is_same_origin("https://example.org", "example.org:8080"));
    CHECK_FALSE(is_same_origin("https://example.org.evil.net", "example.org"));
    CHECK_FALSE(is_same_origin("null", "null"));
    CHECK_FALSE(is_same_origin("", ""));
}
