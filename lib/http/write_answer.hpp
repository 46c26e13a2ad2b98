// From a response to bytes: the head and, where it is small and in memory, the body.
// RFC 9112 section 6 says how the end of a message is marked.
#pragma once

#include "http/server_core.hpp"
#include "rill/base/buffer.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::http {

/// What the request means for its answer.
struct answer_frame {
    bool head_only = false;  // HEAD: the fields of the answer without its body
    bool keep_alive = true;  // whether another request may follow
    bool http_1_0 = false;   // the client spoke HTTP/1.0

    friend bool operator==(answer_frame const&, answer_frame const&) noexcept = default;
};

/// Bodies up to this many bytes are appended to the output; larger ones are sent from where they
/// are.
inline constexpr std::size_t appended_body_bytes = 16 * 1024;

/// Appends the head of `answer`, and its body when it is small and in memory.
///
/// Returns true when the body is in; false when it follows from where it is.
[[nodiscard]] bool write_answer(server_core& home, buffer& into, response& answer,
                                answer_frame const& frame);

/// Appends the answer of a server that is too busy: 503 and Retry-After (RFC 9110 sections 10.2.3
/// and 15.6.4). Asks for no memory.
void write_busy(server_core& home, buffer& into, answer_frame const& frame);

}  // namespace rill::http
