// HTTP request methods (RFC 9110 section 9, RFC 5789) and status texts (RFC 9110 section 15).
#pragma once

#include <cstdint>
#include <string_view>

#include "rill/base/export.hpp"

namespace rill::http1 {

/// What the client wants done. Fewer than 64, so that a set of them is one word.
enum class method : std::uint8_t {
    get,          ///< GET: Read.
    head,         ///< HEAD: Read without the content.
    post,         ///< POST: Process the content.
    put,          ///< PUT: Replace the resource.
    delete_,      ///< DELETE: Remove the resource; a router calls it `del`.
    connect,      ///< CONNECT: Open a tunnel.
    options,      ///< OPTIONS: Ask what can be done.
    trace,        ///< TRACE: Loop the request back.
    patch,        ///< PATCH: Change a part (RFC 5789).
    query,        ///< QUERY: Read, with content that says what.
    copy,         ///< COPY: WebDAV (RFC 4918).
    lock,         ///< LOCK: WebDAV (RFC 4918).
    mkcol,        ///< MKCOL: WebDAV (RFC 4918).
    move,         ///< MOVE: WebDAV (RFC 4918).
    propfind,     ///< PROPFIND: WebDAV (RFC 4918).
    proppatch,    ///< PROPPATCH: WebDAV (RFC 4918).
    unlock,       ///< UNLOCK: WebDAV (RFC 4918).
    search,       ///< SEARCH: WebDAV (RFC 5323).
    acl,          ///< ACL: WebDAV (RFC 3744).
    bind,         ///< BIND: WebDAV (RFC 5842).
    rebind,       ///< REBIND: WebDAV (RFC 5842).
    unbind,       ///< UNBIND: WebDAV (RFC 5842).
    report,       ///< REPORT: Versioning (RFC 3253).
    mkactivity,   ///< MKACTIVITY: Versioning (RFC 3253).
    checkout,     ///< CHECKOUT: Versioning (RFC 3253).
    merge,        ///< MERGE: Versioning (RFC 3253).
    mkcalendar,   ///< MKCALENDAR: Calendars (RFC 4791).
    link,         ///< LINK: Links (RFC 2068).
    unlink,       ///< UNLINK: Links (RFC 2068).
    purge,        ///< PURGE: Drop a cached copy; not registered, and used by caches.
    m_search,     ///< M-SEARCH: Discovery (UPnP).
    notify,       ///< NOTIFY: Events (UPnP).
    subscribe,    ///< SUBSCRIBE: Events (UPnP).
    unsubscribe,  ///< UNSUBSCRIBE: Events (UPnP).
    other,        ///< A method that rill has no name for; the request's head has its spelling.
};

/// The method of this text; methods are case-sensitive. `other` for any that has no name here.
[[nodiscard]] RILL_API method find_method(std::string_view text) noexcept;

/// "GET", "POST"...; empty for `other`.
[[nodiscard]] RILL_API std::string_view name_of(method which) noexcept;

/// "OK" for 200; empty for a code that the IANA registry does not know.
[[nodiscard]] RILL_API std::string_view status_text(unsigned code) noexcept;

}  // namespace rill::http1
