// What a router says where no route answers.
#include "web/own_answers.hpp"

#include <string>

#include "http/request_access.hpp"

namespace rill::web::detail {

using http::detail::request_access;

namespace {

// "GET, HEAD, OPTIONS"
std::string allow_text(std::uint64_t methods) {
    if ((methods & bit_of(http::method::get)) != 0) methods |= bit_of(http::method::head);
    methods |= bit_of(http::method::options);
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(http::method::other); ++i) {
        if ((methods >> i & 1U) == 0) continue;
        if (!text.empty()) text += ", ";
        text += http::name_of(static_cast<http::method>(i));
    }
    return text;
}

http::response not_found(void const*, http::request&) {
    return http::content(http::literal("Not Found\n"), http::content_types::text,
                         http::status::not_found);
}
http::response bad_path(void const*, http::request&) {
    return http::content(http::literal("Bad Request: a '%' in the path without two digits\n"),
                         http::content_types::text, http::status::bad_request);
}
http::response wrong_method(void const*, http::request& req) {
    http::response answer =
        http::content(http::literal("Method Not Allowed\n"), http::content_types::text,
                      http::status::method_not_allowed);
    answer.headers().set("Allow", allow_text(request_access::allowed_methods(req)));
    return answer;
}
http::response unknown_method(void const*, http::request&) {
    return http::content(http::literal("Not Implemented\n"), http::content_types::text,
                         http::status::not_implemented);
}
http::response list_methods(void const*, http::request& req) {
    http::response answer(http::status::no_content);
    answer.headers().set("Allow", allow_text(request_access::allowed_methods(req)));
    return answer;
}

constexpr http::handler own(http::handler::plain_function says) noexcept {
    return {.plain = says, .content = http::content_mode::unwanted};
}

}  // namespace

constinit http::handler const own_not_found = own(not_found);
constinit http::handler const own_bad_path = own(bad_path);
constinit http::handler const own_wrong_method = own(wrong_method);
constinit http::handler const own_unknown_method = own(unknown_method);
constinit http::handler const own_list_methods = own(list_methods);

}  // namespace rill::web::detail
