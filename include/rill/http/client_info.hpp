// client_info: who has made a request, as far as trusted proxies say.
// RFC 7239 (Forwarded), X-Forwarded-For, the PROXY protocol of HAProxy.
#pragma once

#include <string>

#include "rill/base/address.hpp"

namespace rill::http {

/// Who has made a request, and what it asked for at the first trusted proxy. Without one it is the
/// peer of the connection.
struct client_info {
    /// The client; the outermost trusted proxy where that hides it. Of kind `none` for requests
    /// that were made by hand.
    rill::address address;
    /// "http" or "https", as the client has sent it.
    std::string scheme = "http";
    /// Host, as the client has sent it; `host[:port]`.
    std::string host;
};

/// Which fields trusted proxies write. Name the one that yours do: the other one passes them as the
/// client has made it up.
enum class forwarded_fields : unsigned char {
    none,         ///< None.
    x_forwarded,  ///< X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host.
    forwarded,    ///< Forwarded.
};

}  // namespace rill::http
