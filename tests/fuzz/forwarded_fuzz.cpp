// Fuzzes Forwarded and X-Forwarded-For: whatever is sent by whom nobody trusts, the peer is the
// client; of trusted peers the client is an address, and the scheme and the host can be used.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/client_info.hpp"
#include "http/request_access.hpp"
#include "rill/base/assert.hpp"
#include "rill/codec/forwarded.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    std::string_view const line = text.substr(0, text.find('\n'));
    std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (char const* name :
         {"Forwarded", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"}) {
        head.append(name).append(": ").append(line).append("\r\n");
    }
    head += "\r\n";
    http1::request_parser parser;
    if (parser.parse(head).state != http1::head_state::complete) return 0;
    http::request req;
    http::detail::request_access::begin(req, parser.head());

    static network_set const trusted{"10.0.0.0/8"};
    static address const proxy = address::parse("10.0.0.1:1").value();
    static address const stranger = address::parse("1.2.3.4:1").value();
    for (auto const fields : {http::forwarded_fields::forwarded,
                              http::forwarded_fields::x_forwarded, http::forwarded_fields::none}) {
        http::server_options const options{.trusted_proxies = &trusted, .forwarded = fields};
        auto const direct = http::client_behind(req, stranger, options);
        RILL_ASSERT(direct.address == stranger, "nobody else is believed");
        RILL_ASSERT(direct.host == "a" && direct.scheme == "http", "nobody else is believed");
        auto const behind = http::client_behind(req, proxy, options);
        RILL_ASSERT(behind.address.kind() == address::family::ipv4 ||
                        behind.address.kind() == address::family::ipv6,
                    "the client has an address");
        RILL_ASSERT(behind.scheme == "http" || behind.scheme == "https", "the scheme is known");
        RILL_ASSERT(!behind.host.empty() && http1::is_host(behind.host), "the host is one");
    }
    if (auto const hop = codec::parse_hop(text)) {
        RILL_ASSERT(codec::parse_hop(hop->text()) == hop, "what is written is read back the same");
    }
    return 0;
}
