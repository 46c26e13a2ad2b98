// Promises of the frame codecs: where frames end, what is refused, and that each reads what it
// writes. X.690 section 8.1.3, MQTT 5 section 1.5.5.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "rill/codec/check_frames.hpp"
#include "rill/codec/delimited_frames.hpp"
#include "rill/codec/fixed_frames.hpp"
#include "rill/codec/length_frames.hpp"
#include "support/frames.hpp"

namespace rill::framing {

namespace {

using namespace std::string_literals;
using test::measured;
using test::written;

/// Checks that `wire` is what the codec writes for the payload, and that it reads it back, alone
/// and followed by something else.
template <class Codec>
void check_both_ways(Codec const& codec, std::string const& wire, std::string const& payload,
                     std::string const& prefix = {}) {
    CAPTURE(wire);
    auto const sent = written(codec, payload, prefix);
    REQUIRE(sent);
    CHECK(*sent == wire);
    for (std::string const& input : {wire, wire + "\xff"s, wire + wire}) {
        for (bool const in_bytes : {false, true}) {
            step const found = in_bytes ? measured(codec, input) : codec.measure(input, 0);
            REQUIRE(found.whole());
            CHECK(found.size() == wire.size());
            CHECK(input.substr(found.payload_begin(), found.payload_size()) == payload);
            if (!prefix.empty()) CHECK(input.substr(0, found.prefix_size()) == prefix);
        }
    }
    for (std::size_t size = 0; size != wire.size(); ++size) {
        step const found = codec.measure(bytes(wire).first(size), 0);
        CHECK_FALSE(found.whole());
        CHECK(found.why() == fault::none);
        CHECK(found.size() <= wire.size());
    }
}

template <class Codec>
fault fault_of(Codec const& codec, std::string const& input) {
    step const found = codec.measure(input, 0);
    CHECK_FALSE(found.whole());
    CHECK(measured(codec, input).why() == found.why());
    return found.why();
}

}  // namespace

TEST_CASE("frames of a fixed length have exactly that length") {
    check_both_ways(fixed_length(1), "x", "x");
    check_both_ways(fixed_length(4), "abcd", "abcd");
    CHECK(written(fixed_length(4), "abc").error() == std::errc::invalid_argument);
    CHECK(written(fixed_length(4), "abcde").error() == std::errc::invalid_argument);
    CHECK(written(fixed_length(4), "abcd", "p").error() == std::errc::invalid_argument);
}

TEST_CASE("a delimiter ends a frame and is no part of its payload") {
    check_both_ways(delimited("|"), "abc|", "abc");
    check_both_ways(delimited("|"), "|", "");
    check_both_ways(delimited("\r\n"), "abc\r\n", "abc");
    check_both_ways(delimited("\r\n"), "a\rb\n\r\n", "a\rb\n");
    check_both_ways(delimited("\0\0"s), "a\0b\0\0"s, "a\0b"s);
    check_both_ways(delimited("0123456789abcdef"), "x0123456789abcdef", "x");
}

TEST_CASE("a delimiter of two equal bytes ends a frame at its first two (C120)") {
    check_both_ways(delimited("\n\n"), "a\nb\n\n", "a\nb");
    CHECK(delimited("aa").measure("xaaa", 0).size() == 3);
    CHECK(measured(delimited("aa"), "xaaa").size() == 3);
}

TEST_CASE("a payload that would be cut by its own delimiter is refused (C121)") {
    delimited const two("aa");
    CHECK(written(two, "xaay").error() == std::errc::invalid_argument);
    CHECK(written(two, "xa").error() == std::errc::invalid_argument);  // "xaaa" ends after "x"
    CHECK(written(two, "xb"));
    delimited const three("aba");
    CHECK(written(three, "xab").error() == std::errc::invalid_argument);
    CHECK(written(three, "x").value() == "xaba");
    for (std::string const& bad : {"-aba-"s, "aba"s, "abab"s, "-ab"s}) {
        CAPTURE(bad);
        // However it is cut into pieces.
        for (std::size_t one = 0; one <= bad.size(); ++one) {
            for (std::size_t other = one; other <= bad.size(); ++other) {
                std::array<bytes, 3> const pieces{bytes(bad).first(one),
                                                  bytes(bad).first(other).without_first(one),
                                                  bytes(bad).without_first(other)};
                CHECK(written(three, pieces).error() == std::errc::invalid_argument);
            }
        }
    }
}

TEST_CASE("a frame without its delimiter is too long at the bound, and not one byte before") {
    delimited const bounded("\r\n", 6);
    check_both_ways(bounded, "abcd\r\n", "abcd");
    CHECK(bounded.measure("abcde", 0).why() == fault::none);
    CHECK(fault_of(bounded, "abcdef") == fault::too_long);
    CHECK(fault_of(bounded, "abcde\r\n") == fault::too_long);
    lines const line(line_end::lf, 3);
    check_both_ways(line, "ab\n", "ab");
    CHECK(fault_of(line, "abc\n") == fault::too_long);
}

TEST_CASE("lines are read with LF or CRLF and written as they were told to") {
    check_both_ways(lines(), "abc\r\n", "abc");
    check_both_ways(lines(line_end::lf), "abc\n", "abc");
    check_both_ways(lines(), "\r\n", "");
    check_both_ways(lines(), "a\r\r\n", "a\r");
    for (auto const end : {line_end::crlf, line_end::lf}) {
        CHECK(lines(end).measure("ab\r\n", 0).payload_size() == 2);
        CHECK(lines(end).measure("ab\n", 0).payload_size() == 2);
        CHECK(lines(end).measure("ab\rc", 0).why() == fault::none);
        CHECK(written(lines(end), "a\nb").error() == std::errc::invalid_argument);
    }
    CHECK(written(lines(line_end::lf), "a\r").error() == std::errc::invalid_argument);
}

TEST_CASE("a length field of one to eight bytes is read and written in both byte orders") {
    for (std::size_t width = 1; width <= 8; ++width) {
        std::string const zeros(width - 1, '\0');
        length_field const big({.width = width});
        check_both_ways(big, zeros + "\x03" + "abc", "abc");
        length_field const little({.encoding = length_encoding::little_endian, .width = width});
        check_both_ways(little, "\x03" + zeros + "abc", "abc");
        check_both_ways(little, "\0"s + zeros, "");
    }
}

TEST_CASE("offset, adjustment and a header that is counted say where the frame ends") {
    // Type before the length; the length counts payload only.
    check_both_ways(length_field({.width = 2, .offset = 1}), "T\0\3abc"s, "abc", "T");
    // The field counts itself.
    check_both_ways(length_field({.width = 2, .header_included = true}), "\0\5abc"s, "abc");
    check_both_ways(length_field({.width = 2, .offset = 3, .header_included = true}), "abc\0\6d"s,
                    "d", "abc");
    // It counts one byte that is not there, or leaves one out that is.
    check_both_ways(length_field({.width = 1, .adjustment = -1}), "\4abc", "abc");
    check_both_ways(length_field({.width = 1, .adjustment = 2}), "\1abc", "abc");
    // No prefix given: zeros.
    CHECK(written(length_field({.width = 1, .offset = 2}), "x").value() == "\0\0\1x"s);
    CHECK(written(length_field({.width = 1, .offset = 2}), "x", "p").error() ==
          std::errc::invalid_argument);
}

TEST_CASE("a length that is smaller than what it counts is malformed") {
    length_field const with_header({.width = 2, .offset = 2, .header_included = true});
    CHECK(fault_of(with_header, "ab\0\3"s) == fault::bad_length);
    CHECK(with_header.measure("ab\0\4"s, 0).whole());
    CHECK(fault_of(length_field({.width = 1, .adjustment = -2}), "\1") == fault::bad_length);
    CHECK(written(length_field({.width = 1, .adjustment = 2}), "a").error() ==
          errc::limit_exceeded);
}

TEST_CASE("a frame is refused as soon as its length says that it is too long") {
    length_field const bounded({.width = 4, .maximum_bytes = 104});
    std::string const most = "\0\0\0\x64"s + std::string(100, 'x');
    check_both_ways(bounded, most, std::string(100, 'x'));
    CHECK(fault_of(bounded, "\0\0\0\x65"s) == fault::too_long);
    for (std::size_t width = 2; width <= 8; ++width) {
        for (std::int64_t const adjustment : {std::int64_t{1} << 31, -(std::int64_t{1} << 31)}) {
            CAPTURE(width);
            length_field const wide({.width = width, .adjustment = adjustment});
            step const found = wide.measure(std::string(width, '\xff'), 0);
            CHECK_FALSE(found.whole());
            CHECK(found.why() != fault::none);
        }
    }
    CHECK(written(bounded, std::string(105, 'x')).error() == errc::limit_exceeded);
}

TEST_CASE("a payload that its length field cannot say is refused") {
    check_both_ways(length_field({.width = 1}), "\xff" + std::string(255, 'x'),
                    std::string(255, 'x'));
    CHECK(written(length_field({.width = 1}), std::string(256, 'x')).error() ==
          errc::limit_exceeded);
    length_field const small({.encoding = length_encoding::varint, .width = 1});
    CHECK(written(small, std::string(127, 'x')));
    CHECK(written(small, std::string(128, 'x')).error() == errc::limit_exceeded);
}

TEST_CASE("a varint has seven bits a byte, the least significant first") {
    length_field const mqtt({.encoding = length_encoding::varint, .offset = 1});
    check_both_ways(mqtt, "\x30\x02hi", "hi", "\x30");
    check_both_ways(mqtt, "\x30\x7f" + std::string(127, 'x'), std::string(127, 'x'), "\x30");
    check_both_ways(mqtt, "\x30\x80\x01" + std::string(128, 'x'), std::string(128, 'x'), "\x30");
    check_both_ways(mqtt, "\x30\x80\x80\x01" + std::string(16384, 'x'), std::string(16384, 'x'),
                    "\x30");
    CHECK(fault_of(mqtt, "0\xff\xff\xff\xff") == fault::bad_length);  // five bytes
    CHECK(fault_of(mqtt, "0\xff\xff\xff\x7f") == fault::too_long);
}

TEST_CASE("a varint in more bytes than it needs is refused unless that is allowed") {
    length_field const strict({.encoding = length_encoding::varint, .width = 5});
    CHECK(fault_of(strict, "\x82\0"s) == fault::bad_length);
    CHECK(strict.measure("\0"s, 0).whole());
    length_field const protobuf(
        {.encoding = length_encoding::varint, .width = 5, .minimal_only = false});
    step const found = protobuf.measure("\x82\x80\0hi"s, 0);
    CHECK(found.size() == 5);
    CHECK(found.payload_size() == 2);
}

TEST_CASE("a varint that counts itself is as long as it says") {
    for (std::size_t const size : {0u, 1u, 125u, 126u, 127u, 128u, 16380u, 16381u, 16383u}) {
        length_field const codec(
            {.encoding = length_encoding::varint, .offset = 1, .header_included = true});
        std::string const payload(size, 'x');
        auto const sent = written(codec, payload, "p");
        REQUIRE(sent);
        step const found = codec.measure(*sent, 0);
        REQUIRE(found.whole());
        CHECK(found.size() == sent->size());
        CHECK(found.payload_size() == size);
    }
}

TEST_CASE("an ASN.1 length is short, or says how many bytes it has") {
    length_field const der({.encoding = length_encoding::ber, .offset = 1});
    check_both_ways(der, "\x30\x02hi", "hi", "\x30");
    check_both_ways(der, "\x30\x7f" + std::string(127, 'x'), std::string(127, 'x'), "\x30");
    check_both_ways(der, "\x30\x81\x80" + std::string(128, 'x'), std::string(128, 'x'), "\x30");
    check_both_ways(der, "\x30\x82\x01\x00"s + std::string(256, 'x'), std::string(256, 'x'),
                    "\x30");
    CHECK(fault_of(der, "\x30\x81\x7f") == fault::bad_length);       // fits the short form
    CHECK(fault_of(der, "\x30\x82\x00\x80"s) == fault::bad_length);  // a leading zero
    length_field const ber({.encoding = length_encoding::ber, .offset = 1, .minimal_only = false});
    CHECK(ber.measure("\x30\x82\0\2hi"s, 0).payload_size() == 2);
}

TEST_CASE("the indefinite and the reserved ASN.1 length are malformed") {
    length_field const ber(
        {.encoding = length_encoding::ber, .width = 8, .offset = 1, .minimal_only = false});
    CHECK(fault_of(ber, "\x30\x80") == fault::bad_length);
    CHECK(fault_of(ber, "\x30\xff") == fault::bad_length);
    CHECK(fault_of(ber, "\x30\x89") == fault::bad_length);  // nine bytes
    CHECK(fault_of(ber, "\x30\x88\xff\xff\xff\xff\xff\xff\xff\xff") == fault::too_long);
}

TEST_CASE("check bytes are the known ones, and a frame with others is refused") {
    std::string const digits = "123456789";
    auto const value = [&](auto const& c) { return c.finish(c.add(c.start(), digits)); };
    CHECK(value(crc16_modbus()) == 0x4b37);
    CHECK(value(crc32()) == 0xcbf43926);
    CHECK(value(xor8()) == 0x31);
    CHECK(value(sum8()) == 0xdd);

    checked const rtu(length_field({.width = 1, .offset = 2, .adjustment = 2}), crc16_modbus());
    std::string const wire = "\x01\x03\x02\x00\x2a\x39\x9b"s;
    check_both_ways(rtu, wire, "\0\x2a"s, "\1\3");
    for (std::size_t i = 0; i != wire.size(); ++i) {
        if (i == 2) continue;  // another length is another frame
        std::string bent = wire;
        bent[i] = static_cast<char>(bent[i] ^ 1);
        CHECK(fault_of(rtu, bent) == fault::bad_check);
    }
}

TEST_CASE("a check covers the payload alone where that is wanted, in front of any codec's tail") {
    checked const last(length_field({.width = 1}), xor8(), covers::payload);
    check_both_ways(last, "\3ab\3", "ab");
    CHECK(fault_of(last, "\0"s) == fault::bad_check);  // no room for the check
    checked const line(delimited("\r\n"), sum8());
    check_both_ways(line, "12c\r\n", "12");
    CHECK(written(line, "\x06\x04").value() == "\x06\x04\x0a\r\n");
    // "\r" and a check byte that is "\n" would end the frame.
    CHECK(written(line, "\xfd\r").error() == std::errc::invalid_argument);
    checked const twice(checked(length_field({.width = 1}), xor8()), sum8());
    auto const sent = written(twice, "ab");
    REQUIRE(sent);
    check_both_ways(twice, *sent, "ab");
}

namespace {

template <class Codec>
void check_random(Codec const& codec, test::dice& random, std::size_t prefix_size) {
    std::size_t const size = random.up_to(random.coin() ? 8 : 400);
    // Few byte values make delimiters and their beginnings likely.
    std::string const payload = random.text(size, random.coin() ? 3 : 256);
    std::string const prefix = random.text(prefix_size);
    std::size_t const cut = random.up_to(size);
    std::array<bytes, 2> const pieces{bytes(payload).first(cut), bytes(payload).without_first(cut)};
    auto const sent = written(codec, pieces, prefix);
    if (!sent || sent->size() > codec.maximum_bytes()) return;
    std::string const input = *sent + random.text(random.up_to(4));
    step const found = codec.measure(input, 0);
    REQUIRE(found.whole());
    REQUIRE(found.size() == sent->size());
    REQUIRE(input.substr(found.payload_begin(), found.payload_size()) == payload);
    REQUIRE(input.substr(0, found.prefix_size()) == prefix);
    step const slowly = measured(codec, input);
    REQUIRE(slowly.whole());
    REQUIRE(slowly.size() == found.size());
}

length_field random_length_field(test::dice& random, std::size_t offset) {
    constexpr std::array encodings{length_encoding::big_endian, length_encoding::little_endian,
                                   length_encoding::varint, length_encoding::ber};
    auto const adjustment = static_cast<std::int64_t>(random.up_to(40)) - 20;
    return length_field({.encoding = encodings[random.up_to(3)],
                         .width = 1 + random.up_to(7),
                         .offset = offset,
                         .adjustment = random.coin() ? adjustment : 0,
                         .header_included = random.coin(),
                         .minimal_only = random.coin(),
                         .maximum_bytes = 64 + random.up_to(500)});
}

}  // namespace

TEST_CASE("what any codec writes it reads back, for random configurations and payloads (C121)") {
    for (std::uint64_t seed = 0; seed != 20'000; ++seed) {
        CAPTURE(seed);
        test::dice random(seed);
        std::size_t const offset = random.up_to(4);
        switch (random.up_to(5)) {
            case 0:
                check_random(fixed_length(1 + random.up_to(40)), random, 0);
                break;
            case 1:
                check_random(delimited(random.text(1 + random.up_to(3), 3)), random, 0);
                break;
            case 2:
                check_random(lines(random.coin() ? line_end::lf : line_end::crlf), random, 0);
                break;
            case 3:
                check_random(checked(random_length_field(random, offset), crc16_modbus()), random,
                             offset);
                break;
            case 4:
                check_random(checked(delimited(random.text(1 + random.up_to(2))), xor8()), random,
                             0);
                break;
            default:
                check_random(random_length_field(random, offset), random, offset);
        }
    }
}

}  // namespace rill::framing
