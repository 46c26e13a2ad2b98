// HTTP request methods, as requests and routers name them. RFC 9110 section 9.
#pragma once

#include "rill/codec/http_method.hpp"

namespace rill::http {

using http1::find_method;
using http1::method;
using http1::name_of;

}  // namespace rill::http
