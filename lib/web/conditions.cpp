// Conditions of requests that read.
#include "web/conditions.hpp"

#include "rill/codec/http_date.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::web {

codec::validators validators_of(http::headers const& fields,
                                std::chrono::sys_seconds now) noexcept {
    codec::validators all;
    if (fields.contains("etag")) all.tag = codec::parse_entity_tag(fields.get("etag"));
    if (fields.contains("last-modified")) {
        all.modified = codec::parse_http_date(fields.get("last-modified"), now);
    }
    return all;
}

codec::preconditions::verdict judge(http::request const& req, codec::validators const& current,
                                    std::chrono::sys_seconds now) noexcept {
    codec::preconditions asked(current, now);
    for (http::field const each : req.headers()) {
        auto const is = [&](std::string_view name) {
            return http1::equal_ignoring_case(each.name, name);
        };
        if (is("if-match")) asked.if_match(each.value);
        if (is("if-none-match")) asked.if_none_match(each.value);
        if (is("if-modified-since")) asked.if_modified_since(each.value);
        if (is("if-unmodified-since")) asked.if_unmodified_since(each.value);
    }
    return asked.judge(true);
}

// RFC 9110 section 15.4.5: what tells the client's copy from another stays, the rest is left out.
void make_not_modified(http::response& answer) {
    answer.set_status(http::status::not_modified);
    answer.set_body({}, {});
    for (std::string_view const name :
         {"content-type", "content-encoding", "content-language", "content-range"}) {
        answer.headers().erase(name);
    }
}

}  // namespace rill::web
