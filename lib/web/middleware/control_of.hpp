// What the Cache-Control lines of a message say, all together. RFC 9111 section 5.2.
#pragma once

#include "rill/codec/cache_control.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/http/field.hpp"

namespace rill::web {

template <class Fields>
codec::cache_control control_of(Fields const& fields) {
    codec::cache_control all;
    for (http::field const each : fields) {
        if (http1::equal_ignoring_case(each.name, "cache-control")) all.take(each.value);
    }
    return all;
}

}  // namespace rill::web
