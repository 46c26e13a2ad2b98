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

TEST_CASE("a chunk's size is known before its bytes are there") {
    body_decoder body({.kind = body_framing::by::chunks});
    CHECK(body.next("40000000\r\n").what == body_event::need_more);
    CHECK(body.remaining() == 0x40000000);
    CHECK(body.next("abc").what == body_event::data);
    CHECK(body.remaining() == 0x3ffffffd);
    body_decoder small({.kind = body_framing::by::chunks});
    CHECK(small.next("1\r\na").what == body_event::data);
    CHECK(small.remaining() == 0);
    CHECK(small.next("\r\n7").what == body_event::need_more);
    CHECK(small.remaining() == 0);  // the line may go on
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
