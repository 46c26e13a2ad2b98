// Reads the PROXY protocol: HAProxy's specification, sections 2.1 (version 1) and 2.2 (version 2).
#include "rill/codec/proxy_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/ip_literal.hpp"

namespace rill::codec {

namespace {

using progress = proxy_header::progress;

constexpr std::string_view first_text = "PROXY ";
constexpr std::size_t longest_line = 107;
constexpr std::string_view signature{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::size_t fixed_size = 16;  // of version 2: signature, command, family, length

// A decimal number without sign or leading zeros, up to 65535.
std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
    auto const [end, why] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (why != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return port;
}

std::string_view take_word(std::string_view& line) {
    std::string_view const word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

// The line without "PROXY " and its end.
std::optional<address> parse_line(std::string_view line) {
    std::string_view const kind = take_word(line);
    if (kind == "UNKNOWN") return address();  // what follows is not to be looked at
    if (kind != "TCP4" && kind != "TCP6") return std::nullopt;
    bool const is_v4 = kind == "TCP4";
    std::string_view const source = take_word(line);
    std::string_view const target = take_word(line);
    auto const source_port = parse_port(take_word(line));
    auto const target_port = parse_port(line);
    for (std::string_view const ip : {source, target}) {
        if (is_v4 ? !detail::is_ipv4(ip) : !detail::is_ipv6(ip)) return std::nullopt;
    }
    if (!source_port || !target_port) return std::nullopt;
    auto const parsed =
        address::parse(is_v4 ? std::string(source) + ":0" : "[" + std::string(source) + "]:0");
    if (!parsed) return std::nullopt;
    return parsed->with_port(*source_port).unmapped();
}

proxy_header parse_text(std::string_view text) {
    std::string_view const begin = text.substr(0, longest_line);
    std::size_t const end = begin.find('\r');
    if (end == begin.npos || end + 1 == begin.size()) {
        bool const may_come = text.size() < longest_line;
        return {.state = may_come ? progress::need_more : progress::failed};
    }
    if (begin[end + 1] != '\n') return {.state = progress::failed};
    auto found = parse_line(begin.substr(first_text.size(), end - first_text.size()));
    if (!found) return {.state = progress::failed};
    return {progress::complete, end + 2, *std::move(found)};
}

template <std::size_t Size>
std::array<std::uint8_t, Size> octets(std::string_view from) {
    std::array<std::uint8_t, Size> all{};
    std::copy_n(from.begin(), Size, all.begin());
    return all;
}

unsigned number(std::string_view text, std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[at])) << 8 |
           static_cast<unsigned char>(text[at + 1]);
}

// The addresses of version 2, for a command that speaks for a client.
std::optional<address> parse_addresses(unsigned family, std::string_view data) {
    constexpr std::size_t path_size = 108;
    switch (family) {
        case 0x00:
            return address();
        case 0x11:
            if (data.size() < 12) return std::nullopt;
            return address::v4(octets<4>(data), static_cast<std::uint16_t>(number(data, 8)));
        case 0x21:
            if (data.size() < 36) return std::nullopt;
            return address::v6(octets<16>(data), static_cast<std::uint16_t>(number(data, 32)))
                .unmapped();
        case 0x31: {
            if (data.size() < 2 * path_size) return std::nullopt;
            std::string_view const field = data.substr(0, path_size);
            auto const path = address::unix_path(field.substr(0, field.find('\0')));
            return path ? *path : address();
        }
        default:
            return std::nullopt;  // datagrams, and what is not defined
    }
}

proxy_header parse_binary(std::string_view text) {
    if (text.size() < fixed_size) return {};
    unsigned const command = static_cast<unsigned char>(text[12]);
    unsigned const family = static_cast<unsigned char>(text[13]);
    std::size_t const size = fixed_size + number(text, 14);
    if ((command != 0x20 && command != 0x21) || size > proxy_header::max_size) {
        return {.state = progress::failed};
    }
    if (text.size() < size) return {};
    if (command == 0x20) return {.state = progress::complete, .size = size};
    auto found = parse_addresses(family, text.substr(fixed_size, size - fixed_size));
    if (!found) return {.state = progress::failed};
    return {progress::complete, size, *std::move(found)};
}

}  // namespace

proxy_header parse_proxy_header(bytes input) {
    std::string_view const text = input.text();
    for (std::string_view const begin : {first_text, signature}) {
        std::size_t const size = std::min(text.size(), begin.size());
        if (text.substr(0, size) != begin.substr(0, size)) continue;
        if (size != begin.size()) return {};
        return begin == signature ? parse_binary(text) : parse_text(text);
    }
    return {.state = progress::failed};
}

}  // namespace rill::codec
