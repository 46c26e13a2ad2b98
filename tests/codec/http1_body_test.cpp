// Bodies of every framing through one decoder (RFC 9112 section 6.3).
#include "rill/codec/http1_body.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace rill::http1;

TEST_CASE("a body by length ends at its last byte and not before") {
    body_decoder body({body_framing::by::length, 5});
    body_step step = body.next("hel");
    CHECK(step.what == body_event::data);
    CHECK(step.data == rill::bytes("hel"));
    CHECK(body.remaining() == 2);
    CHECK_FALSE(body.finish());
    CHECK(body.next("").what == body_event::need_more);
    step = body.next("loGET");
    CHECK(step.what == body_event::data);
    CHECK(step.data == rill::bytes("lo"));
    CHECK(step.consumed == 2);
    step = body.next("GET");
    CHECK(step.what == body_event::end);
    CHECK(step.consumed == 0);
    CHECK(body.finish());
}

TEST_CASE("no body ends at once and takes nothing") {
    body_decoder none({});
    CHECK(none.next("GET").what == body_event::end);
    CHECK(none.next("GET").consumed == 0);
    CHECK(none.finish());
}

TEST_CASE("a body until the end of the stream is whole only then") {
    body_decoder body({body_framing::by::end_of_stream, 0});
    CHECK(body.next("all").data == rill::bytes("all"));
    CHECK(body.next("").what == body_event::need_more);
    CHECK(body.finish());
    CHECK(body.next("").what == body_event::end);
}

TEST_CASE("a chunked body that is cut off is not whole") {
    body_decoder body({body_framing::by::chunks, 0});
    CHECK(body.next("1\r\nZ\r\n0\r\n").data == rill::bytes("Z"));
    CHECK(body.next("\r\n0\r\n").what == body_event::need_more);
    CHECK_FALSE(body.finish());
    CHECK(body.next("a: b\r\n\r\nx").what == body_event::end);
    CHECK(body.finish());
    CHECK(body.chunks().trailer(0).value == "b");
}
