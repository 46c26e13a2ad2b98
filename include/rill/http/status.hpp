// HTTP status codes and their reason phrases.
// RFC 9110 section 15 and the IANA registry of HTTP status codes.
#pragma once

#include <cstdint>
#include <string_view>

#include "rill/codec/http_method.hpp"

namespace rill::http {

/// How a request ended. Any three-digit code fits: `static_cast<http::status>(299)`.
enum class status : std::uint16_t {
    continue_ = 100,                        ///< The client may send the body.
    switching_protocols = 101,              ///< The connection changes its protocol.
    processing = 102,                       ///< Work goes on (RFC 2518).
    early_hints = 103,                      ///< Fields ahead of the answer (RFC 8297).
    ok = 200,                               ///< It worked.
    created = 201,                          ///< A resource was made.
    accepted = 202,                         ///< Work was taken on and is not done.
    non_authoritative_information = 203,    ///< A proxy changed the answer.
    no_content = 204,                       ///< It worked and there is nothing to say.
    reset_content = 205,                    ///< The client should clear its form.
    partial_content = 206,                  ///< The ranges that were asked for.
    multi_status = 207,                     ///< Several outcomes (RFC 4918).
    already_reported = 208,                 ///< Listed before in this answer (RFC 5842).
    im_used = 226,                          ///< An instance manipulation was applied (RFC 3229).
    multiple_choices = 300,                 ///< There are several representations.
    moved_permanently = 301,                ///< Use the new place from now on.
    found = 302,                            ///< It is elsewhere for the moment.
    see_other = 303,                        ///< Get the answer elsewhere.
    not_modified = 304,                     ///< The client's copy is fresh.
    use_proxy = 305,                        ///< Deprecated.
    temporary_redirect = 307,               ///< As 302, and the method stays.
    permanent_redirect = 308,               ///< As 301, and the method stays.
    bad_request = 400,                      ///< The request cannot be understood.
    unauthorized = 401,                     ///< Credentials are needed.
    payment_required = 402,                 ///< Reserved.
    forbidden = 403,                        ///< Not for this client.
    not_found = 404,                        ///< There is nothing here.
    method_not_allowed = 405,               ///< Not with this method; see Allow.
    not_acceptable = 406,                   ///< No representation that the client accepts.
    proxy_authentication_required = 407,    ///< The proxy wants credentials.
    request_timeout = 408,                  ///< The request took too long to arrive.
    conflict = 409,                         ///< It clashes with the present state.
    gone = 410,                             ///< It was here and will not come back.
    length_required = 411,                  ///< Content-Length is needed.
    precondition_failed = 412,              ///< A condition of the request is false.
    content_too_large = 413,                ///< The body passes a limit.
    uri_too_long = 414,                     ///< The target passes a limit.
    unsupported_media_type = 415,           ///< Not with this content type.
    range_not_satisfiable = 416,            ///< No range lies in the resource.
    expectation_failed = 417,               ///< An Expect field cannot be met.
    misdirected_request = 421,              ///< Not a host of this server.
    unprocessable_content = 422,            ///< Understood, and the content is wrong.
    locked = 423,                           ///< Locked (RFC 4918).
    failed_dependency = 424,                ///< An earlier step failed (RFC 4918).
    too_early = 425,                        ///< Not in early data (RFC 8470).
    upgrade_required = 426,                 ///< Another protocol is needed; see Upgrade.
    precondition_required = 428,            ///< A condition is needed (RFC 6585).
    too_many_requests = 429,                ///< Slow down (RFC 6585).
    request_header_fields_too_large = 431,  ///< Fields pass a limit (RFC 6585).
    unavailable_for_legal_reasons = 451,    ///< Forbidden by law (RFC 7725).
    internal_server_error = 500,            ///< The server failed.
    not_implemented = 501,                  ///< The server does not know the method.
    bad_gateway = 502,                      ///< The server behind gave a bad answer.
    service_unavailable = 503,              ///< Not now; see Retry-After.
    gateway_timeout = 504,                  ///< The server behind was too slow.
    http_version_not_supported = 505,       ///< Not in this version.
    variant_also_negotiates = 506,          ///< Negotiation loops (RFC 2295).
    insufficient_storage = 507,             ///< No room (RFC 4918).
    loop_detected = 508,                    ///< An endless loop (RFC 5842).
    not_extended = 510,                     ///< Obsolete (RFC 2774).
    network_authentication_required = 511,  ///< Log in to the network (RFC 6585).
};

/// The three digits.
[[nodiscard]] constexpr unsigned code_of(status value) noexcept {
    return static_cast<unsigned>(value);
}

/// The registered reason phrase ("Not Found"); empty for a code that has none.
[[nodiscard]] inline std::string_view reason(status value) noexcept {
    return http1::status_text(code_of(value));
}

/// True for 1xx, 204 and 304, whose answers carry no content (RFC 9110 sections 6.4.1 and 15).
[[nodiscard]] constexpr bool forbids_content(status value) noexcept {
    return code_of(value) < 200 || value == status::no_content || value == status::not_modified;
}

}  // namespace rill::http
