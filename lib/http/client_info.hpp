// Who has made a request, by the fields of trusted proxies.
#pragma once

#include "rill/http/client_info.hpp"
#include "rill/http/request.hpp"
#include "rill/http/server.hpp"

namespace rill::http {

// `peer` is the other end of the connection, or what a PROXY header says of it.
[[nodiscard]] client_info client_behind(request const& req, address const& peer,
                                        server_options const& options);

}  // namespace rill::http
