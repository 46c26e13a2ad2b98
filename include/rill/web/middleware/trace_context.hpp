// trace_context: joins requests to the trace that they are part of. W3C Trace Context.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// Where a request stands in its trace. The views live as long as the request.
struct RILL_API trace {
    std::string_view trace_id;   ///< 32 hexadecimal digits.
    std::string_view span_id;    ///< 16: this server's part, made here.
    std::string_view parent_id;  ///< 16: the caller's part; empty where the trace begins here.
    std::string_view state;      ///< Tracestate, as it came; empty where the trace begins here.
    bool sampled = false;        ///< Whether it is to be recorded.

    /// The traceparent for what the handler asks of others: "00-...-...-01".
    [[nodiscard]] std::string parent_header() const;
};

/// Reads traceparent and tracestate, or begins a trace where there is none or it is malformed, and
/// gives the request a span of its own.
class RILL_API trace_context {
public:
    /// The most bytes of tracestate that are kept; a longer one is dropped (section 3.3.1.5).
    static constexpr std::size_t max_state_size = 512;

    /// `sample` says whether traces that begin here are to be recorded.
    explicit trace_context(bool sample = false) noexcept : sample_(sample) {}
    /// Attaches the `trace`.
    std::optional<http::response> before(http::request& req) const;

private:
    bool sample_;
};

/// The trace of a request; null where no `trace_context` runs around its handler.
[[nodiscard]] RILL_API trace const* trace_of(http::request const& req) noexcept;

}  // namespace rill::web
