// Forms with files, taken apart. RFC 2046 section 5.1.1, RFC 7578; cases C029, C031, C159.
#include "rill/codec/multipart.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace rill;
using codec::multipart_boundary;
using codec::multipart_event;
using codec::multipart_parser;

namespace {

// What a body is taken apart into, in pieces of that many bytes; the last word is how it ended.
std::string parse(std::string_view body, std::size_t piece_bytes, std::string_view boundary = "XX",
                  multipart_parser::limits const& bounds = {}) {
    multipart_parser parser(boundary, bounds);
    std::string all;
    while (!body.empty()) {
        std::string_view piece = body.substr(0, piece_bytes);
        body.remove_prefix(piece.size());
        while (!piece.empty()) {
            auto const step = parser.next(piece);
            REQUIRE(step.consumed <= piece.size());
            piece.remove_prefix(step.consumed);
            if (step.what == multipart_event::part) {
                all.append("[").append(parser.head().name);
                if (parser.head().filename) all.append("|").append(*parser.head().filename);
                all.append("|").append(parser.head().content_type).append(">");
            } else if (step.what == multipart_event::data) {
                all += step.data.text();
            } else if (step.what == multipart_event::part_end) {
                all += ']';
            } else if (step.what == multipart_event::failed) {
                return all + std::to_string(parser.failure_status());
            }
        }
    }
    return all + (parser.finish() ? "end" : "400");
}

// The same however it is cut: in two at each place, and byte by byte.
std::string parse_in_all_cuts(std::string_view body, multipart_parser::limits const& bounds = {}) {
    std::string const whole = parse(body, body.size() + 1, "XX", bounds);
    for (std::size_t size = 1; size < std::min<std::size_t>(body.size(), 200); ++size) {
        CAPTURE(size);
        std::string const cut = parse(body, size, "XX", bounds);
        // What is over a bound ends where the piece ends that goes over it.
        if (whole.ends_with("413")) {
            CHECK(cut.ends_with("413"));
        } else {
            CHECK(cut == whole);
        }
    }
    return whole;
}

constexpr std::string_view field = "Content-Disposition: form-data; name=\"a\"\r\n\r\n";

std::string one_part(std::string_view head, std::string_view content = "x") {
    return std::string("--XX\r\n").append(head).append(content).append("\r\n--XX--\r\n");
}

}  // namespace

TEST_CASE("a form comes apart in the same parts, wherever it is cut (C029)") {
    CHECK(parse_in_all_cuts("--XX\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n"
                            "one\r\n--XX\r\n"
                            "content-disposition:form-data;name=f;filename=\"a b.txt\"\r\n"
                            "Content-Type: image/png\r\nX-Other: y\r\n\r\n"
                            "\r\n--X\r\n--\r\r\n-\r\n\r\n--XX--\r\n") ==
          "[text|text/plain>one][f|a b.txt|image/png>\r\n--X\r\n--\r\r\n-\r\n]end");
}

TEST_CASE("empty parts, empty names, and a form of no part are right") {
    CHECK(parse_in_all_cuts(one_part(field, "")) == "[a|text/plain>]end");
    CHECK(parse_in_all_cuts(
              one_part("Content-Disposition: form-data; name=\"\"; filename=\"\"\r\n\r\n")) ==
          "[||text/plain>x]end");
    CHECK(parse_in_all_cuts("--XX--") == "end");
}

TEST_CASE("what stands before the first and behind the last boundary is dropped") {
    CHECK(parse_in_all_cuts("pre\r\nface --XX\r\n" + one_part(field) + "--XX\r\nepilogue") ==
          parse_in_all_cuts("pre\r\n" + one_part(field)));
    CHECK(parse_in_all_cuts("\r\n" + one_part(field)) == "[a|text/plain>x]end");
    CHECK(parse_in_all_cuts("x--XX\r\n" + std::string(field) + "x\r\n--XX--") == "end");
}

TEST_CASE("white space behind a boundary is transport's, anything else is a 400") {
    CHECK(parse_in_all_cuts("--XX \t \r\n" + std::string(field) + "x\r\n--XX--") ==
          "[a|text/plain>x]end");
    for (std::string_view const bad :
         {"--XX", "--XX-", "--XXY\r\n", "--XX\n", "--XX\rx", "--XX -", "--XX- -", "--XX \n", "-"}) {
        CAPTURE(bad);
        CHECK(parse_in_all_cuts(bad) == "400");
    }
}

TEST_CASE("a form that breaks off is a 400, wherever it does") {
    std::string const whole = one_part(field);
    for (std::size_t size = 0; size + 4 < whole.size(); ++size) {
        CAPTURE(size);
        CHECK(parse_in_all_cuts(whole.substr(0, size)).ends_with("400"));
    }
}

TEST_CASE("a part's head that is malformed is a 400 (C031)") {
    for (
        std::string_view const bad :
        {"\r\n", "Content-Type: text/plain\r\n\r\n", "Content-Disposition: form-data\r\n\r\n",
         "Content-Disposition: attachment; name=a\r\n\r\n",
         "Content-Disposition: form-data; name=\"a\r\n\r\n",
         "Content-Disposition: form-data; name=a b\r\n\r\n",
         "Content-Disposition: form-data; name=a; name=b\r\n\r\n",
         "Content-Disposition: form-data; name=a; filename=b; filename=c\r\n\r\n",
         "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n\r\n",
         "Content-Disposition : form-data; name=a\r\n\r\n",
         "Content-Disposition: form-data;\r\n name=a\r\n\r\n", "no colon\r\n\r\n", ": x\r\n\r\n",
         "Content-Disposition: form-data; name=a\nX: y\r\n\r\n",
         "Content-Disposition: form-data; name=a\rX: y\r\n\r\n",
         "Content-Disposition: form-data; name=a\r\nContent-Type: text\r\n\r\n",
         "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n\r\n",
         "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n"}) {
        CAPTURE(bad);
        CHECK(parse_in_all_cuts(one_part(bad)) == "400");
    }
    CHECK(parse_in_all_cuts(one_part(
              std::string("Content-Disposition: form-data; name=\"a\0b\"\r\n\r\n", 46))) == "400");
    CHECK(parse_in_all_cuts("--XX\r\nx\r\n--XX--") == "400");
    CHECK(parse_in_all_cuts(one_part("Content-Disposition: form-data; name=a\r\n"
                                     "Content-Transfer-Encoding: Binary\r\n\r\n")) ==
          "[a|text/plain>x]end");
}

TEST_CASE("names come as browsers send them, and filename* is not looked at") {
    // RFC 7578 section 4.2; the HTML Standard escapes a quote as %22.
    auto const named = [](std::string_view parameters) {
        return parse(
            one_part("Content-Disposition: form-data; " + std::string(parameters) + "\r\n\r\n"), 9);
    };
    CHECK(named("name=\"a%22b\"") == "[a%22b|text/plain>x]end");
    CHECK(named("name=\"\xc3\xa4;=\"") == "[\xc3\xa4;=|text/plain>x]end");
    CHECK(named("name=a; filename=\"C:\\dir\\f\"") == "[a|C:\\dir\\f|text/plain>x]end");
    CHECK(named("name=a; filename=\"q\\\"\\\\\"") == "[a|q\"\\|text/plain>x]end");
    CHECK(named("name=a; filename*=UTF-8''evil.sh") == "[a|text/plain>x]end");
    CHECK(named("NAME=a; FileName=f; x=y") == "[a|f|text/plain>x]end");
}

TEST_CASE("a boundary has 1 to 70 characters of RFC 2046, and is there once") {
    CHECK(multipart_boundary("multipart/form-data; boundary=abc") == "abc");
    CHECK(multipart_boundary("Multipart/Form-Data; charset=x; BOUNDARY=\"a b'()+_,-./:=?\"") ==
          "a b'()+_,-./:=?");
    std::string const most = "multipart/form-data; boundary=" + std::string(70, 'x');
    CHECK(multipart_boundary(most) == std::string(70, 'x'));
    CHECK_FALSE(multipart_boundary(most + 'x'));
    CHECK_FALSE(multipart_boundary("multipart/form-data; boundary=" + std::string(8192, '-')));
    for (std::string_view const bad :
         {"", "multipart/form-data", "multipart/mixed; boundary=a",
          "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"",
          "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"a\r\"",
          "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a;",
          "multipart/form-data; boundary=a&b", "boundary=a"}) {
        CAPTURE(bad);
        CHECK_FALSE(multipart_boundary(bad));
    }
}

TEST_CASE("each bound holds at the byte") {
    auto const two = "--XX\r\n" + std::string(field) + "xyz\r\n" + one_part(field, "uvw");
    auto const status = [&](multipart_parser::limits const& bounds) {
        return parse_in_all_cuts(two, bounds);
    };
    auto const head = static_cast<std::uint32_t>(field.size());
    CHECK(status({.parts = 2, .header_bytes = head, .part_bytes = 3, .content_bytes = 6})
              .ends_with("end"));
    CHECK(status({.parts = 1}).ends_with("413"));
    CHECK(status({.header_bytes = head - 1}).ends_with("413"));
    CHECK(status({.part_bytes = 2}).ends_with("413"));
    CHECK(status({.content_bytes = 5}).ends_with("413"));
    // Without an end, no more than the bound is kept.
    CHECK(parse(std::string("--XX\r\n") + std::string(100'000, 'x'), 4096).ends_with("413"));
    CHECK(parse(std::string("--XX") + std::string(100'000, ' '), 4096).ends_with("413"));
}

TEST_CASE("a boundary that never comes costs each byte once (C159)") {
    // 8 MiB of dashes and of beginnings of the boundary: with the square of them this would not
    // end.
    std::string const boundary = std::string(69, '-') + '+';
    CHECK(parse(std::string(std::size_t{8} << 20, '-'), 65536, boundary).ends_with("400"));
    std::string almost;
    while (almost.size() < std::size_t{8} << 20)
        almost.append("\r\n--").append(boundary, 0, 69).append("x");
    CHECK(parse(almost, 65536, boundary).ends_with("400"));
    CHECK(parse(std::string(std::size_t{8} << 20, '\r'), 1, boundary).ends_with("400"));
}
