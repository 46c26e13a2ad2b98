// Codecs for frames that are in use, each tried both ways over a pipe that cuts them into bytes.
#include <rill/io/framing.hpp>
#include <rill/io/pipe.hpp>
#include <rill/rt.hpp>

#include <charconv>
#include <cstdio>
#include <string>

using namespace std::string_literals;
using namespace rill::framing;

constexpr fixed_length records(8);
constexpr lines text_lines;
constexpr delimited nul_strings(std::string_view("\0", 1));
constexpr delimited http_heads("\r\n\r\n", 16 * 1024);
constexpr length_field ipv4({.width = 2, .offset = 2, .header_included = true});
constexpr length_field modbus_tcp({.width = 2, .offset = 4, .maximum_bytes = 260});
constexpr checked modbus_rtu_answers(
    length_field({.width = 1, .offset = 2, .adjustment = 2, .maximum_bytes = 256}), crc16_modbus());
constexpr length_field mqtt({.encoding = length_encoding::varint, .width = 4, .offset = 1});
constexpr length_field protobuf_delimited({.encoding = length_encoding::varint,
                                           .width = 5,
                                           .minimal_only = false});
constexpr length_field ldap(
    {.encoding = length_encoding::ber, .width = 4, .offset = 1, .minimal_only = false});
constexpr length_field postgresql({.offset = 1, .adjustment = -4});
constexpr checked check_byte_at_the_end(length_field({.width = 1}), xor8(), covers::payload);

// One of your own: a chunk of HTTP/1.1, a size in hexadecimal, CRLF, the bytes, CRLF.
struct http_chunk_codec {
    std::size_t maximum_bytes() const { return 64 * 1024; }

    step measure(rill::bytes input, std::size_t) const {
        std::size_t const line = input.text().find("\r\n");
        // Without a bound of its own, a peer could make every byte cost a longer search.
        if (line == std::string_view::npos && input.size() < 10) return step::more();
        std::size_t size = 0;
        auto const text = input.text().substr(0, line);
        auto const parsed = std::from_chars(text.data(), text.data() + text.size(), size, 16);
        if (text.size() > 8 || text.empty() || parsed.ptr != text.data() + text.size())
            return step::bad(fault::malformed);
        std::size_t const whole = line + 2 + size + 2;
        if (input.size() < whole) return step::more(whole);
        if (input.without_first(whole - 2).first(2) != rill::bytes("\r\n"))
            return step::bad(fault::malformed);
        return step::frame(whole, line + 2, size);
    }
    std::error_code head(edge& into, rill::bytes prefix, std::size_t payload_bytes) const {
        if (!prefix.empty()) return not_sendable();
        char digits[16];
        auto const end = std::to_chars(digits, digits + sizeof digits, payload_bytes, 16).ptr;
        into.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
        into.append("\r\n");
        return {};
    }
    std::error_code tail(edge& into, rill::bytes, std::span<rill::bytes const>) const {
        into.append("\r\n");
        return {};
    }
};
constexpr http_chunk_codec http_chunks;

// Sends the payload, checks the bytes on the wire, and reads it back.
template <class Codec>
rill::task<> try_both_ways(char const* name, Codec const& codec, std::string const& payload,
                           std::string const& prefix, std::string const& on_the_wire) {
    rill::byte_pipe pipe({.piece_bytes = 1});
    rill::framed_stream in(pipe.second());
    co_await rill::write_frame(pipe.first(), codec, payload, prefix);
    rill::frame const got = co_await in.read_frame(codec);
    bool const same = got.whole() == rill::bytes(on_the_wire) &&
                      got.payload() == rill::bytes(payload) && got.prefix() == rill::bytes(prefix);
    std::printf("%s: %s\n", name, same ? "ok" : "differs");
}

rill::task<> try_all() {
    std::string const rest_of_ip = "\0\1\0\0\x40\x11\0\0\x7f\0\0\1\x7f\0\0\1hi"s;
    co_await try_both_ways("records", records, "12345678", "", "12345678");
    co_await try_both_ways("text_lines", text_lines, "a line", "", "a line\r\n");
    co_await try_both_ways("nul_strings", nul_strings, "text", "", "text\0"s);
    co_await try_both_ways("http_heads", http_heads, "GET / HTTP/1.1\r\nHost: x", "",
                           "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    co_await try_both_ways("ipv4", ipv4, rest_of_ip, "\x45\0"s, "\x45\0\0\x16"s + rest_of_ip);
    co_await try_both_ways("modbus_tcp", modbus_tcp, "\1\3\0\0\0\1"s, "\0\7\0\0"s,
                           "\0\7\0\0\0\6\1\3\0\0\0\1"s);
    co_await try_both_ways("modbus_rtu_answers", modbus_rtu_answers, "\0\x2a"s, "\1\3",
                           "\1\3\2\0\x2a\x39\x9b"s);
    co_await try_both_ways("mqtt", mqtt, "\0\1tx"s, "\x30", "\x30\4\0\1tx"s);
    co_await try_both_ways("protobuf_delimited", protobuf_delimited, "\x08\x96\x01", "",
                           "\3\x08\x96\x01");
    co_await try_both_ways("ldap", ldap, "\2\1\1\x42\0"s, "\x30", "\x30\5\2\1\1\x42\0"s);
    co_await try_both_ways("postgresql", postgresql, "SELECT 1\0"s, "Q", "Q\0\0\0\x0dSELECT 1\0"s);
    co_await try_both_ways("check_byte_at_the_end", check_byte_at_the_end, "ab", "", "\3ab\3");
    co_await try_both_ways("http_chunks", http_chunks, "sixteen letters!", "",
                           "10\r\nsixteen letters!\r\n");
}

int main() {
    rill::run(try_all());
}
