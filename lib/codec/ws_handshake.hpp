// The texts of the opening handshake of WebSocket. RFC 6455 section 4.
#pragma once

#include <string>
#include <string_view>

namespace rill::codec {

/// True for a Sec-WebSocket-Key: base64 of 16 bytes. RFC 6455 section 4.2.1.
[[nodiscard]] bool is_ws_key(std::string_view key);

/// The Sec-WebSocket-Accept that answers `key`. Throws `error` when the library of cryptography
/// fails. RFC 6455 section 4.2.2.
[[nodiscard]] std::string ws_accept_of(std::string_view key);

/// True when a page of `origin` ("https://example.org:8080") comes from `host`
/// ("example.org:8080").
[[nodiscard]] bool is_same_origin(std::string_view origin, std::string_view host) noexcept;

/// What a server has answered to a handshake.
struct ws_answer {
    /// Why it is none that can be taken; null where it can.
    char const* why = nullptr;
    /// Its status; 0 where the head is malformed.
    unsigned status = 0;
    /// The subprotocol that it names, a view of the head; empty without one.
    std::string_view protocol = {};
};

/// Reads the head of an answer, from its status line to its empty line, to a request with `key`
/// that offered no extension. RFC 6455 section 4.1.
[[nodiscard]] ws_answer read_ws_answer(std::string_view head, std::string_view key);

}  // namespace rill::codec
