// Conditions of requests that read.
#include "web/conditions.hpp"

#include "rill/codec/http_date.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::web {

using http1::known_field;

namespace {

constexpr http1::known_field_set conditions{
    known_field::if_match, known_field::if_none_match, known_field::if_modified_since,
    known_field::if_unmodified_since, known_field::if_range};

// Calls `use` with each line of that name.
template <class Use>
void for_each_line(http1::field_table const& fields, known_field which, Use use) {
    if (!fields.has(which)) return;
    if (!fields.repeats(which)) return use(fields.find(which));
    std::string_view const name = name_of(which);
    std::size_t at = 0;
    while ((at = fields.find_from(name, at)) != http1::field_table::not_found) {
        use(fields[at].value);
        ++at;
    }
}

}  // namespace

codec::validators validators_of(http::headers const& fields,
                                std::chrono::sys_seconds now) noexcept {
    codec::validators all;
    if (fields.contains("etag")) all.tag = codec::parse_entity_tag(fields.get("etag"));
    if (fields.contains("last-modified")) {
        all.modified = codec::parse_http_date(fields.get("last-modified"), now);
    }
    return all;
}

codec::preconditions conditions_of(http1::field_table const& fields,
                                   codec::validators const& current,
                                   std::chrono::sys_seconds now) noexcept {
    codec::preconditions asked(current, now);
    if (!has_conditions(fields)) return asked;
    for_each_line(fields, known_field::if_match, [&](auto value) { asked.if_match(value); });
    for_each_line(fields, known_field::if_none_match,
                  [&](auto value) { asked.if_none_match(value); });
    for_each_line(fields, known_field::if_modified_since,
                  [&](auto value) { asked.if_modified_since(value); });
    for_each_line(fields, known_field::if_unmodified_since,
                  [&](auto value) { asked.if_unmodified_since(value); });
    for_each_line(fields, known_field::if_range, [&](auto value) { asked.if_range(value); });
    return asked;
}

bool has_conditions(http1::field_table const& fields) noexcept {
    return fields.has_any(conditions);
}

codec::preconditions::verdict judge(http::request const& req, codec::validators const& current,
                                    std::chrono::sys_seconds now) noexcept {
    return conditions_of(req.headers(), current, now).judge(true);
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
