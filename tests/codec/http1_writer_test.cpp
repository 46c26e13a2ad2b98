// Response heads and chunks as bytes (RFC 9112 sections 4, 5, 7.1 and 11.1).
#include "rill/codec/http1_writer.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

#include "rill/codec/http1_body.hpp"
#include "rill/codec/http_method.hpp"

using namespace std::literals;
using namespace rill::http1;

namespace {

struct output {
    std::array<char, 256> memory{};
    head_writer writer{rill::mutable_bytes(memory.data(), memory.size())};
    std::string_view text() const { return {memory.data(), writer.size()}; }
};

}  // namespace

TEST_CASE("a response head is written as it was asked for") {
    output out;
    out.writer.status(200);
    out.writer.put("Date: Tue, 15 Nov 1994 08:12:31 GMT\r\n");
    out.writer.field("content-length", std::uint64_t{18446744073709551615U});
    out.writer.field("X-Empty", "");
    out.writer.field("X", "a\tb\xff");
    out.writer.put(std::array{'Y', ':', ' ', 'z', '\r', '\n'});
    out.writer.end();
    CHECK(out.text() ==
          "HTTP/1.1 200 OK\r\nDate: Tue, 15 Nov 1994 08:12:31 GMT\r\n"
          "content-length: 18446744073709551615\r\nX-Empty: \r\nX: a\tb\xff\r\nY: z\r\n\r\n");
    CHECK(head_writer::field_bound(1, 1) == "X: y\r\n"sv.size());
}

TEST_CASE("text of every size is written as it is, and nothing behind it") {
    std::string const text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        output out;
        out.writer.put(std::string_view(text).substr(0, size));
        CAPTURE(size);
        CHECK(out.text() == text.substr(0, size));
        CHECK(out.memory[size] == '\0');
    }
}

TEST_CASE("every status of the registry has its text, and others have none") {
    CHECK(status_text(200) == "OK");
    CHECK(status_text(100) == "Continue");
    CHECK(status_text(511) == "Network Authentication Required");
    CHECK(status_text(413) == "Content Too Large");
    CHECK(status_text(299).empty());
    CHECK(status_text(0).empty());
    CHECK(status_text(600).empty());
    for (unsigned code = 100; code < 1000; ++code) {
        output out;
        out.writer.status(code);
        CAPTURE(code);
        CHECK(out.writer.size() <= head_writer::status_bound);
        CHECK(out.text() ==
              "HTTP/1.1 " + std::to_string(code) + " " + std::string(status_text(code)) + "\r\n");
    }
}

TEST_CASE("no name or value that could split a response passes the checks") {
    // C023; RFC 9110 section 5.5, RFC 9112 section 11.1. `http::headers` asks them.
    for (std::string_view const bad :
         {"ok\r\nInjected: yes"sv, "a\rb"sv, "a\nb"sv, "a\0b"sv, "\r"sv, "\n"sv, "\x7f"sv, "\x01"sv,
          "a value of more than sixteen bytes and then\n"sv}) {
        CAPTURE(bad);
        CHECK_FALSE(is_field_value(bad));
        CHECK_FALSE(is_token(bad));
    }
    for (std::string_view const bad : {""sv, "a b"sv, "a:"sv, ":"sv, "a\xff"sv}) {
        CHECK_FALSE(is_token(bad));
    }
}

TEST_CASE("written chunks are read back") {
    for (std::uint64_t const size :
         {std::uint64_t{1}, std::uint64_t{15}, std::uint64_t{16}, std::uint64_t{255},
          std::uint64_t{4096}, std::uint64_t{0xabcdef}, std::uint64_t{UINT64_MAX}}) {
        std::array<char, chunk_head_bound> memory{};
        std::size_t const written = write_chunk_head(rill::mutable_bytes(memory), size);
        std::string const line(memory.data(), written);
        CAPTURE(line);
        REQUIRE(line.ends_with("\r\n"));
        CHECK(std::stoull(line, nullptr, 16) == size);
        CHECK(line.front() != '0');
    }
    std::array<char, chunk_head_bound> memory{};
    std::size_t const written = write_chunk_head(rill::mutable_bytes(memory), 5);
    std::string const text = std::string(memory.data(), written) + "hello" +
                             std::string(chunk_tail) + std::string(last_chunk);
    chunked_decoder decoder;
    body_step const step = decoder.next(rill::bytes(text));
    CHECK(step.data == rill::bytes("hello"));
    CHECK(decoder.next(rill::bytes(text).without_first(step.consumed)).what == body_event::end);
}

TEST_CASE("written trailers are read back") {
    output out;
    out.writer.put(last_chunk_before_trailers);
    out.writer.field("X-Sum", "12");
    out.writer.end();
    chunked_decoder decoder;
    CHECK(decoder.next(rill::bytes(out.text())).what == body_event::end);
    CHECK(decoder.trailer(0).value == "12");
}
