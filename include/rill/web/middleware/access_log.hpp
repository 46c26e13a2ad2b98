// access_log: a line for each request, when its answer is complete or has broken off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// What a line looks like.
enum class log_format : std::uint8_t {
    common,    ///< Common Log Format: client, user, time, request line, status, bytes.
    combined,  ///< The same with Referer and User-Agent.
    json,      ///< An object: also the host, the duration, the request's and the trace's id, and
               ///< whether the answer was whole.
};

/// Writes a line for each request that a handler, or the router itself, has answered. Requests that
/// the connection refuses before (malformed, too busy) are counted by the server and not here.
///
/// Bytes from clients never end a line or a text in it: they are escaped, and each text is cut
/// after `longest_text` bytes. Put it first, so that its duration is that of all.
///
/// Cost      no allocation for a line of the usual length, but for JSON, which is made in a string.
class RILL_API access_log {
public:
    /// The most bytes of a text of a client's (target, referrer, agent) in a line.
    static constexpr std::size_t longest_text = 1024;
    /// Takes a line, with its end. Called on all cores at once; it must not throw or wait.
    using sink = std::function<void(std::string_view line)>;

    /// To the standard output.
    explicit access_log(log_format format = log_format::combined);
    /// To `to`.
    access_log(log_format format, sink to);
    /// Has the line written at the end of the request.
    std::optional<http::response> before(http::request& req) const;

private:
    std::shared_ptr<sink const> to_;
    log_format format_;
};

}  // namespace rill::web
