// The chunked transfer coding (RFC 9112 section 7.1; C005 to C008, C013, C014).
#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rill/codec/http1_body.hpp"

using namespace std::literals;
using namespace rill::http1;

namespace {

struct decoded {
    body_event end = body_event::need_more;
    std::string body;
    std::string trailers;
    std::size_t consumed = 0;
    unsigned status = 0;

    bool operator==(decoded const&) const = default;
};

/// Decodes `text`, given in pieces of `piece` bytes, the first one of `first` bytes.
decoded decode(std::string_view text, std::size_t first, std::size_t piece, chunked_limits limits) {
    chunked_decoder decoder(limits);
    decoded result;
    std::size_t size = first;
    for (std::size_t at = 0; at < text.size() && result.end == body_event::need_more;
         size = piece) {
        std::string_view const part = text.substr(at, size);
        at += part.size();
        std::unique_ptr<char[]> const copy(new char[part.size()]);
        part.copy(copy.get(), part.size());
        rill::bytes input(std::string_view(copy.get(), part.size()));
        body_step step = decoder.next(input);
        for (; step.what == body_event::data; step = decoder.next(input)) {
            result.body += step.data.text();
            result.consumed += step.consumed;
            input = input.without_first(step.consumed);
        }
        result.consumed += step.consumed;
        result.end = step.what;
    }
    for (std::size_t i = 0; i < decoder.trailer_count(); ++i) {
        field const line = decoder.trailer(i);
        result.trailers += std::string(line.name) + "=" + std::string(line.value) + ";";
    }
    result.status = decoder.failure_status();
    return result;
}

/// Decodes whole, in one-byte pieces and cut at every place; all must agree.
decoded decode_in_every_way(std::string_view text, chunked_limits limits = {}) {
    decoded const whole = decode(text, text.size(), text.size(), limits);
    CHECK(decode(text, 1, 1, limits) == whole);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        CAPTURE(cut);
        CHECK(decode(text, cut, text.size(), limits) == whole);
    }
    return whole;
}

}  // namespace

TEST_CASE("a chunked body comes out byte for byte, and what follows is left alone") {
    std::string_view const text = "5\r\nhello\r\n00A\r\n, world\r\n!\r\n0\r\n\r\nGET / HTTP";
    decoded const result = decode_in_every_way(text);
    CHECK(result.end == body_event::end);
    CHECK(result.body == "hello, world\r\n!");
    CHECK(text.substr(result.consumed) == "GET / HTTP");
    CHECK(decode_in_every_way("0\r\n\r\n").end == body_event::end);
    CHECK(decode_in_every_way("000\r\n\r\n").end == body_event::end);
}

TEST_CASE("a chunk size is hexadecimal digits and nothing else") {
    // C005; RFC 9112 section 7.1.
    for (std::string_view const size :
         {"0_0", "0x1", "+1", "-1", " 1", "1these-bytes", "", "\t1", "1 ", "1\t", "1 1", "1.", "g",
          "\"1\"", "10000000000000000", "00000000000000001", "ffffffffffffffff",
          "8000000000000000"}) {
        CAPTURE(size);
        decoded const result =
            decode_in_every_way(std::string(size) + "\r\nZ\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n");
        CHECK(result.end == body_event::failed);
        CHECK(result.status == 400);
        CHECK(result.body.empty());
    }
    CHECK(decode_in_every_way("7fffffffffffffff\r\nZ").body == "Z");
    CHECK(decode_in_every_way("0000000000000001\r\nZ\r\n0\r\n\r\n").end == body_event::end);
}

TEST_CASE("an empty size line does not end a body") {
    // C006.
    decoded const result =
        decode_in_every_way("1\r\nZ\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(result.end == body_event::failed);
    CHECK(result.body == "Z");
}

TEST_CASE("the bytes after the last chunk are looked at") {
    // C007.
    for (std::string_view const text :
         {"0\r\nXXGET / HTTP/1.1\r\nHost: a\r\n\r\n", "0\r\nX:\r\nGET / HTTP/1.1\r\n\r\n",
          "0\r\n\rX", "0\r\n\n", "0\r\r\n", "0\n\r\n"}) {
        CAPTURE(text);
        CHECK(decode_in_every_way(text).end == body_event::failed);
    }
}

TEST_CASE("only CRLF ends a line, and only CRLF follows a chunk's bytes") {
    // C008; RFC 9112 section 7.1 and erratum 7633.
    for (std::string_view const text :
         {"5;a\nb\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\rhello\r\n0\r\n\r\n",
          "5;a\rb\r\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
          "5\r\nhelloXX0\r\n\r\n", "5\r\nhello\rX0\r\n\r\n", "5\r\nhello!\r\n0\r\n\r\n",
          "5;a=\"b\nc\"\r\nhello\r\n0\r\n\r\n", "5;a=\"\\\n\"\r\nhello\r\n0\r\n\r\n"}) {
        CAPTURE(text);
        CHECK(decode_in_every_way(text).end == body_event::failed);
    }
}

TEST_CASE("chunk extensions are read by their grammar and have no effect") {
    // RFC 9112 section 7.1.1.
    for (std::string_view const extension :
         {";a", ";a=b", ";a=b;c;d=e", " ; a = b\t;\tc", ";a=\"b c\"", ";a=\"\"", ";a=\"\\\"\\\\\"",
          ";a=\"b;c=\"", ";a=\"\xff\t\";b"}) {
        CAPTURE(extension);
        decoded const result =
            decode_in_every_way("5" + std::string(extension) + "\r\nhello\r\n0;z\r\n\r\n");
        CHECK(result.end == body_event::end);
        CHECK(result.body == "hello");
    }
    for (std::string_view const extension :
         {";"sv, ";;a"sv, "; "sv, ";a="sv, ";a=;b"sv, "x"sv, ";a b"sv, ";a=b c"sv, ";a=b="sv,
          ";a=\"b"sv, ";a=\"b\"c"sv, ";a "sv, ";a=b "sv, ";a=\"b\" "sv, ";=b"sv, ";a=\"\0\""sv,
          ";\x01"sv, ";a=(b)"sv, ";\xff"sv}) {
        CAPTURE(extension);
        CHECK(decode_in_every_way("5" + std::string(extension) + "\r\nhello\r\n0\r\n\r\n").end ==
              body_event::failed);
    }
}

TEST_CASE("what extensions cost is bounded over the whole body") {
    // CVE-2024-22019.
    chunked_limits limits;
    limits.overhead_bytes = 10;
    auto const chunk = [](std::size_t line) {
        return "1;" + std::string(line - 2, 'a') + "\r\nZ\r\n";
    };
    CHECK(decode_in_every_way(chunk(26) + "0\r\n\r\n", limits).end == body_event::end);
    CHECK(decode_in_every_way(chunk(27) + "0\r\n\r\n", limits).end == body_event::failed);
    CHECK(decode_in_every_way(chunk(21) + chunk(21) + "0\r\n\r\n", limits).end == body_event::end);
    CHECK(decode_in_every_way(chunk(21) + chunk(22) + "0\r\n\r\n", limits).end ==
          body_event::failed);
    std::string many;
    for (int i = 0; i < 40; ++i) many += chunk(16);
    CHECK(decode_in_every_way(many + "0\r\n\r\n", limits).body.size() == 40);
}

TEST_CASE("trailers are kept apart, and those that would change the message are dropped") {
    // C014; RFC 9110 section 6.5.1, RFC 9112 section 7.1.2.
    decoded const result = decode_in_every_way(
        "1\r\nZ\r\n0\r\nX-Sum: \t1 2 \r\nContent-Length: 5\r\nhost: b\r\nY:\r\n"
        "Transfer-Encoding: chunked\r\nAuthorization: x\r\n\r\nrest");
    CHECK(result.end == body_event::end);
    CHECK(result.body == "Z");
    CHECK(result.trailers == "X-Sum=1 2;Y=;");
    for (std::string_view const line :
         {": a"sv, "a"sv, "a b: c"sv, "a : b"sv, " a: b"sv, "a: b\r\n c"sv, "a: \0"sv, "a: b\rc"sv,
          "a: b\nc: d"sv, "a\xff: b"sv, "a: \x7f"sv}) {
        CAPTURE(line);
        CHECK(decode_in_every_way("0\r\n" + std::string(line) + "\r\n\r\n").end ==
              body_event::failed);
    }
}

TEST_CASE("a trailer section may be as long as its limits and no longer") {
    chunked_limits limits;
    limits.trailer_bytes = 12;
    limits.trailer_count = 2;
    CHECK(decode_in_every_way("0\r\na: b\r\nc: d\r\n\r\n", limits).end == body_event::end);
    CHECK(decode_in_every_way("0\r\na: b\r\nc: de\r\n\r\n", limits).status == 431);
    CHECK(decode_in_every_way("0\r\na:\r\nb:\r\n\r\n", limits).end == body_event::end);
    CHECK(decode_in_every_way("0\r\na:\r\nb:\r\nc:\r\n\r\n", limits).status == 431);
    CHECK(decode_in_every_way("0\r\na:\r\nTE:\r\nc:\r\n\r\n", limits).status == 431);
}

TEST_CASE("8 KiB chunks arrive whole from pieces of 1, 2, 3 and 1460 bytes") {
    // C013.
    std::string body;
    std::string text;
    for (std::size_t chunk = 0; chunk < 4; ++chunk) {
        std::string part(8192, '\0');
        for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<char>(i * 7 + chunk);
        text += "2000\r\n" + part + "\r\n";
        body += part;
    }
    text += "0\r\n\r\n";
    for (std::size_t const piece : {1U, 2U, 3U, 1460U, 100000U}) {
        CAPTURE(piece);
        decoded const result = decode(text, piece, piece, {});
        CHECK(result.end == body_event::end);
        CHECK(result.body == body);
    }
}

TEST_CASE("a decoder that is reset knows nothing of the body before") {
    chunked_decoder decoder;
    CHECK(decoder.next("0\r\na: b\r\n\r\n").what == body_event::end);
    CHECK(decoder.next("x").what == body_event::end);
    CHECK(decoder.trailer_count() == 1);
    decoder.reset();
    CHECK(decoder.trailer_count() == 0);
    CHECK(decoder.next("x").what == body_event::failed);
    CHECK(decoder.next("0\r\n\r\n").what == body_event::failed);
    CHECK(decoder.failure_reason() != ""sv);
    decoder.reset();
    CHECK(decoder.next("0\r\n\r\n").what == body_event::end);
    CHECK(decoder.failure_status() == 0);
}
