// The trace of a request.
#include "rill/web/middleware/trace_context.hpp"

#include "http/whole_list.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/codec/trace_context.hpp"
#include "web/random_hex.hpp"

namespace rill::web {

namespace {

// All lines of tracestate as one list, or nothing where that is too long to be kept.
std::string state_of(http::request const& req) {
    std::string state = http::whole_list(req, "tracestate");
    if (state.size() > trace_context::max_state_size) state.clear();
    return state;
}

// Several are as good as none: nobody can say which one is meant.
std::optional<codec::trace_parent> parent_of(http::request const& req) noexcept {
    std::optional<codec::trace_parent> only;
    bool seen = false;
    for (http::field const each : req.headers()) {
        if (!http1::equal_ignoring_case(each.name, "traceparent")) continue;
        if (seen) return std::nullopt;
        seen = true;
        only = codec::parse_trace_parent(each.value);
    }
    return only;
}

}  // namespace

std::string trace::parent_header() const {
    std::string text = "00-";
    text.append(trace_id).append("-").append(span_id).append(sampled ? "-01" : "-00");
    return text;
}

std::optional<http::response> trace_context::before(http::request& req) const {
    trace mine;
    mine.sampled = sample_;
    auto const span = random_hex<8>();
    mine.span_id = req.keep({span.data(), span.size()});
    if (auto const came = parent_of(req)) {
        mine.trace_id = req.keep(came->trace_id);
        mine.parent_id = req.keep(came->parent_id);
        mine.sampled = (came->flags & 1) != 0;
        mine.state = req.keep(state_of(req));
    } else {
        auto const made = random_hex<16>();
        mine.trace_id = req.keep({made.data(), made.size()});
    }
    req.attach(mine);
    return std::nullopt;
}

trace const* trace_of(http::request const& req) noexcept {
    return req.attached<trace>();
}

}  // namespace rill::web
