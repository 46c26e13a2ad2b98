// Parses one head in every way in which it can arrive: whole, in one-byte pieces, cut at each
// place.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "rill/codec/http1_request.hpp"

namespace rill::testing {

using http1::head_result;
using http1::head_state;
using http1::request_limits;
using http1::request_parser;

/// Gives the parser the first `size` bytes at an address of their own that ends with them, so that
/// a sanitizer sees a read behind them and the parser cannot keep pointers.
inline head_result parse_copy(request_parser& parser, std::string_view text, std::size_t size) {
    std::unique_ptr<char[]> const copy(new char[size]);
    text.copy(copy.get(), size);
    return parser.parse(bytes(std::string_view(copy.get(), size)));
}

inline bool same(head_result const& left, head_result const& right) {
    return left.state == right.state && left.status == right.status && left.size == right.size;
}

/// Parses `text` whole, byte by byte and cut in two at every place, checks that the outcome is the
/// same, and returns it.
inline head_result parse_in_every_way(std::string_view text, request_limits limits = {}) {
    request_parser parser(limits);
    head_result const whole = parse_copy(parser, text, text.size());
    parser.reset();
    head_result outcome;
    for (std::size_t size = 1; size <= text.size(); ++size) {
        outcome = parse_copy(parser, text, size);
        if (outcome.state != head_state::need_more) break;
    }
    CHECK_MESSAGE(same(whole, outcome), "in one-byte pieces: ", outcome.status, " ",
                  outcome.reason);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        parser.reset();
        outcome = parse_copy(parser, text, cut);
        if (outcome.state == head_state::need_more) outcome = parse_copy(parser, text, text.size());
        CHECK_MESSAGE(same(whole, outcome), "cut at ", cut, ": ", outcome.status, " ",
                      outcome.reason);
    }
    return whole;
}

/// A head that is kept beside its bytes, so that its views stay good.
struct parsed_head {
    explicit parsed_head(std::string_view text) : bytes_of_head(text) {
        outcome = parser.parse(bytes(bytes_of_head));
        REQUIRE_MESSAGE(outcome.state == head_state::complete, outcome.reason);
    }
    http1::request_head const* operator->() const { return &parser.head(); }

    std::string bytes_of_head;
    request_parser parser;
    head_result outcome;
};

/// One line of a table of heads.
struct head_case {
    char const* rule;       ///< Which rule, by RFC and section.
    std::string_view text;  ///< The bytes.
    unsigned status;        ///< 0 when the head is right, else the status it is refused with.
};

/// Checks each line of a table in every way of arriving.
template <std::size_t Size>
void check_heads(head_case const (&cases)[Size]) {
    for (head_case const& one : cases) {
        CAPTURE(one.rule);
        CAPTURE(one.text);
        head_result const outcome = parse_in_every_way(one.text);
        CAPTURE(outcome.reason);
        CHECK(outcome.status == one.status);
        CHECK((outcome.state == head_state::complete) == (one.status == 0));
        CHECK((outcome.state == head_state::failed) == (one.status != 0));
    }
}

}  // namespace rill::testing
