// Reads Forwarded and addresses of hops.
#include "rill/codec/forwarded.hpp"

#include <algorithm>

#include "base/ip_literal.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

std::optional<forwarded_element> parse_forwarded(std::string_view element) {
    forwarded_element found;
    struct known {
        std::string_view name;
        std::string& value;
        bool is_there = false;
    } all[] = {{"for", found.client}, {"host", found.host}, {"proto", found.scheme}};
    http1::parameter_reader pairs(element);
    while (auto const pair = pairs.next()) {
        for (known& one : all) {
            if (!http1::equal_ignoring_case(pair->name, one.name)) continue;
            if (one.is_there) return std::nullopt;
            one.is_there = true;
            if (pair->value.starts_with('"')) {
                auto text = http1::unquote(pair->value);
                if (!text) return std::nullopt;
                one.value = *std::move(text);
            } else {
                one.value = pair->value;
            }
        }
    }
    if (pairs.failed()) return std::nullopt;
    return found;
}

std::optional<address> parse_hop(std::string_view text) {
    text = http1::trim_space(text);
    std::string_view ip = text;
    std::string_view port;
    if (text.starts_with('[')) {
        std::size_t const close = text.find(']');
        if (close == text.npos) return std::nullopt;
        ip = text.substr(1, close - 1);
        port = text.substr(close + 1);
        if (!detail::is_ipv6(ip)) return std::nullopt;
    } else if (std::ranges::count(text, ':') == 1) {
        ip = text.substr(0, text.find(':'));
        port = text.substr(ip.size());
        if (!detail::is_ipv4(ip)) return std::nullopt;
    } else if (!detail::is_ipv4(ip) && !detail::is_ipv6(ip)) {
        return std::nullopt;
    }
    // A port that hides (`:_x`) says nothing of the address.
    bool const has_port = port.size() > 1 && port.front() == ':' && port[1] != '_';
    if (!port.empty() && port.front() != ':') return std::nullopt;
    std::string whole = ip.find(':') == ip.npos ? std::string(ip) : "[" + std::string(ip) + "]";
    auto parsed = address::parse(whole.append(has_port ? port : ":0"));
    if (!parsed) return std::nullopt;
    return parsed->unmapped();
}

}  // namespace rill::codec
