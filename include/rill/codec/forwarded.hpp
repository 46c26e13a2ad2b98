// What proxies say of the client behind them: Forwarded (RFC 7239) and the address of a hop.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rill/base/address.hpp"
#include "rill/base/export.hpp"

namespace rill::codec {

/// What one proxy has written into Forwarded. What it has not said is empty.
struct forwarded_element {
    std::string client;  ///< `for`: who has made the request to it.
    std::string host;    ///< `host`: what Host was when it came to it.
    std::string scheme;  ///< `proto`: "http" or "https".
};

/// One element of a Forwarded list: `for=192.0.2.43;proto=https;host=example.org`. Nothing when it
/// is malformed, or says something twice. Spec: RFC 7239 section 4.
[[nodiscard]] RILL_API std::optional<forwarded_element> parse_forwarded(std::string_view element);

/// The address of a hop, as Forwarded and X-Forwarded-For write it: an IPv4 or IPv6 address,
/// perhaps in brackets, perhaps with a port. Nothing for `unknown`, names that hide (`_hidden`) and
/// any other text. Spec: RFC 7239 section 6.
[[nodiscard]] RILL_API std::optional<address> parse_hop(std::string_view text);

}  // namespace rill::codec
