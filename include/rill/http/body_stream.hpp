// body_stream: an answer's body that is made while it is sent. RFC 9112 section 7.1.
#pragma once

#include <string_view>

#include "rill/base/bytes.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/producer.hpp"

namespace rill::http {

/// Where the producer of a body writes to.
class body_writer {
public:
    /// Sends a piece of the body and waits for the client to take it. An empty piece sends nothing.
    ///
    /// Errors    `error` when the client is gone or takes nothing for `write_timeout`; the
    ///           connection is then cut, whatever the producer does.
    /// Lifetime  the bytes must live until the await ends.
    /// Cancel    ends the answer; the connection is cut.
    [[nodiscard]] virtual task<> write(bytes piece) = 0;

    /// Adds a trailer field, which follows the body, to be called before the producer ends. Only
    /// clients that say `TE: trailers` get it; what others must know belongs into the head.
    ///
    /// Errors    `error` invalid_argument for a field that must not be a trailer (RFC 9110 section
    ///           6.5.1), and as in `headers::add`.
    virtual void trailer(std::string_view name, std::string_view value) = 0;

    /// Is set when a graceful shutdown of the server begins. A producer that would not end by
    /// itself waits for it too; else its answer is cut when the grace period is over.
    [[nodiscard]] virtual event& stopping() noexcept = 0;

protected:
    ~body_writer() = default;
};

/// A callable that produces a body: `producer(body_writer&)` gives a task. Owned; move-only.
using body_stream = producer<body_writer>;

}  // namespace rill::http
