// Frames of WebSocket. RFC 6455 sections 5 and 7.4.
#include "rill/codec/ws_frame.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rill::codec;
using rill::bytes;
using namespace std::string_literals;

namespace {

/// Reads one head byte by byte, with nothing behind the bytes that are given.
ws_head_step byte_by_byte(ws_frame_order& order, std::string_view text) {
    for (std::size_t size = 0; size < text.size(); ++size) {
        auto const step = order.read(text.substr(0, size));
        if (step.fault != ws_fault::none || step.size != 0) return step;
    }
    return order.read(text);
}

ws_fault fault_of(std::string_view text, ws_sender from = ws_sender::server,
                  bool compression = false) {
    ws_frame_order whole(from, compression);
    ws_frame_order pieces(from, compression);
    auto const step = whole.read(text);
    CHECK(byte_by_byte(pieces, text).fault == step.fault);
    return step.fault;
}

std::string written(ws_head const& head) {
    return std::string(ws_head_text(head).view().text());
}

}  // namespace

TEST_CASE("the heads of RFC 6455 section 5.7 are read and written") {
    ws_frame_order server(ws_sender::server);
    auto step = server.read("\x81\x05Hello");
    CHECK(step.size == 2);
    CHECK(step.head == ws_head{.opcode = ws_opcode::text, .payload_bytes = 5});
    CHECK(written(step.head) == "\x81\x05");

    ws_frame_order client(ws_sender::client);
    std::string frame = "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
    step = client.read(frame);
    REQUIRE(step.size == 6);
    CHECK(step.head.masked);
    CHECK(written(step.head) == frame.substr(0, 6));
    std::string payload = frame.substr(6);
    apply_mask(payload, step.head.mask);
    CHECK(payload == "Hello");

    CHECK(server.read("\x82\x7e\x01\x00"s).head.payload_bytes == 256);
    CHECK(server.read("\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00"s).head.payload_bytes == 65536);
}

TEST_CASE("a head that is written is read back, byte by byte too, at every length") {
    for (std::uint64_t const size :
         {0ULL, 1ULL, 125ULL, 126ULL, 127ULL, 65535ULL, 65536ULL, 0x7fffffffffffffffULL}) {
        for (bool const masked : {false, true}) {
            CAPTURE(size);
            ws_head head{.opcode = ws_opcode::binary, .masked = masked, .payload_bytes = size};
            if (masked) head.mask = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
            std::string const text = written(head);
            ws_frame_order order(masked ? ws_sender::client : ws_sender::server);
            auto const step = byte_by_byte(order, text);
            CHECK(step.fault == ws_fault::none);
            CHECK(step.size == text.size());
            CHECK(step.head == head);
        }
    }
}

TEST_CASE("reserved bits and opcodes without a meaning are refused (5.2)") {
    for (unsigned opcode = 0; opcode != 16; ++opcode) {
        std::string const text{static_cast<char>(0x80U | opcode)};
        bool const known = opcode == 1 || opcode == 2 || (opcode >= 8 && opcode <= 10);
        ws_fault const expected = opcode == 0 ? ws_fault::no_message
                                  : known     ? ws_fault::none
                                              : ws_fault::unknown_opcode;
        CHECK(fault_of(text) == expected);
    }
    CHECK(fault_of("\xc1") == ws_fault::reserved_bit);
    CHECK(fault_of("\xa1") == ws_fault::reserved_bit);
    CHECK(fault_of("\x91") == ws_fault::reserved_bit);
}

TEST_CASE("with compression the first reserved bit stands at a message's first frame") {
    CHECK(fault_of("\xc1", ws_sender::server, true) == ws_fault::none);
    CHECK(fault_of("\xe1", ws_sender::server, true) == ws_fault::reserved_bit);
    CHECK(fault_of("\xc9", ws_sender::server, true) == ws_fault::reserved_bit);
    ws_frame_order order(ws_sender::server, true);
    auto const step = order.read("\x41\x01"s);
    CHECK(step.head.rsv1);
    CHECK(written(step.head) == "\x41\x01");
    CHECK(order.read("\xc0").fault == ws_fault::reserved_bit);
}

TEST_CASE("control frames are whole and short (C067, 5.5)") {
    CHECK(fault_of("\x09") == ws_fault::split_control);
    CHECK(fault_of("\x08") == ws_fault::split_control);
    CHECK(fault_of("\x89\x7e") == ws_fault::long_control);
    CHECK(fault_of("\x88\x7f") == ws_fault::long_control);
    CHECK(fault_of("\x8a\x7d") == ws_fault::none);
}

TEST_CASE("lengths are the shortest and below 2^63 (C067, 5.2)") {
    CHECK(fault_of("\x82\x7e\x00\x7d"s) == ws_fault::padded_length);
    CHECK(fault_of("\x82\x7e\x00\x7e"s) == ws_fault::none);
    CHECK(fault_of("\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff"s) == ws_fault::padded_length);
    CHECK(fault_of("\x82\x7f\x80"s) == ws_fault::huge_length);
}

TEST_CASE("a client masks and a server does not (C067, 5.1)") {
    CHECK(fault_of("\x81\x01", ws_sender::client) == ws_fault::not_masked);
    CHECK(fault_of("\x81\x81", ws_sender::server) == ws_fault::masked);
    CHECK(fault_of("\x89\x00"s, ws_sender::client) == ws_fault::not_masked);
}

TEST_CASE("fragments follow their message, with control frames between (C054, C067)") {
    ws_frame_order order(ws_sender::server);
    CHECK(order.read("\x80").fault == ws_fault::no_message);
    CHECK(order.read("\x01\x05").fault == ws_fault::none);
    CHECK(order.message_is_open());
    CHECK(order.read("\x89\x00"s).fault == ws_fault::none);
    CHECK(order.message_is_open());
    CHECK(order.read("\x01").fault == ws_fault::message_is_open);
    CHECK(order.read("\x82").fault == ws_fault::message_is_open);
    CHECK(order.read("\x00\x00"s).fault == ws_fault::none);
    CHECK(order.read("\x80\x05").fault == ws_fault::none);
    CHECK_FALSE(order.message_is_open());
}

TEST_CASE("a payload is masked alike at once and in pieces, at every offset (C056)") {
    ws_mask const mask = {std::byte{0x37}, std::byte{0xfa}, std::byte{0x21}, std::byte{0x3d}};
    std::string plain;
    for (std::size_t i = 0; i != 300; ++i) plain += static_cast<char>(i * 7);
    std::string expected = plain;
    for (std::size_t i = 0; i != plain.size(); ++i) {
        expected[i] = static_cast<char>(expected[i] ^ std::to_integer<int>(mask[i % 4]));
    }
    for (std::size_t size = 0; size <= plain.size(); ++size) {
        std::string text = plain.substr(0, size);
        apply_mask(text, mask);
        REQUIRE(text == expected.substr(0, size));
    }
    for (std::size_t cut = 0; cut <= plain.size(); ++cut) {
        std::string text = plain;
        rill::mutable_bytes const all(text);
        apply_mask(all.first(cut), mask);
        apply_mask(all.without_first(cut), mask, cut);
        REQUIRE(text == expected);
    }
}

TEST_CASE("close frames say codes that may be sent (7.4), and reasons in UTF-8 (C059)") {
    CHECK(read_ws_close("").code == 1005);
    CHECK(read_ws_close("").fails_with == 0);
    CHECK(read_ws_close("\x03").fails_with == 1002);
    for (unsigned const code : {1000U, 1001U, 1002U, 1003U, 1007U, 1011U, 1014U, 3000U, 4999U}) {
        std::string const text{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
        CAPTURE(code);
        CHECK(read_ws_close(text).code == code);
        CHECK(read_ws_close(text).fails_with == 0);
    }
    for (unsigned const code :
         {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 1100U, 2000U, 2999U, 5000U, 65535U}) {
        std::string const text{static_cast<char>(code >> 8), static_cast<char>(code & 0xff)};
        CAPTURE(code);
        CHECK(read_ws_close(text).fails_with == 1002);
    }
    CHECK(read_ws_close("\x03\xe8"
                        "bye")
              .reason == "bye");
    CHECK(read_ws_close("\x03\xe8\xc0\xaf").fails_with == 1007);
    CHECK(read_ws_close("\x03\xe8\xe2\x82").fails_with == 1007);
}

TEST_CASE("a close frame that is written keeps to 125 bytes and to whole characters") {
    CHECK(ws_close_text(1005, "unsaid").view().empty());
    CHECK(ws_close_text(1000, "bye").view() == bytes("\x03\xe8"
                                                     "bye"));
    std::string reason(122, 'a');
    CHECK(ws_close_text(1000, reason + "bc").view().size() == 125);
    reason += "\u20ac";
    CHECK(ws_close_text(1000, reason).view().size() == 124);
    CHECK(ws_close_text(1000,
                        "ab\xff"
                        "c")
              .view()
              .text() ==
          "\x03\xe8"
          "ab");
}
