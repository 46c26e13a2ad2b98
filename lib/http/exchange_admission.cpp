// Requests that need places which are limited: taken in, at the rates of their route, or turned
// away.
#include "http/exchange.hpp"

namespace rill::http {

/// Takes the places that a request which waits needs. False, and counted, where there is none.
bool exchange::admit() {
    admission* const doors = home_.doors();
    if (doors == nullptr && chosen_.bounds == nullptr) return true;
    server_counters& seen = home_.counters();
    switch (slow().places.take(doors, from_, chosen_.bounds)) {
        case limit::none:
            if (chosen_.bounds != nullptr && chosen_.bounds->throttles()) {
                // Such a server wraps the stream of every connection.
                slow().rates.set(static_cast<throttled_stream&>(peer_), *chosen_.bounds);
            }
            return true;
        case limit::server:
            ++seen.requests_over_server;
            break;
        case limit::address:
            ++seen.requests_over_address;
            break;
        case limit::route:
            ++seen.requests_over_route;
            break;
    }
    return false;
}

/// What a route with rates has answered is sent at those, and nothing else is.
task<exchange::progress> exchange::end_throttled() {
    bool const sent = co_await flush();
    waiting_->rates.clear();
    co_return sent ? progress::answered : progress::lost;
}

/// Answers 503 without looking at the content. The connection is kept where little of that is left.
exchange::progress exchange::turn_away() {
    if (home_.draining()) frame_.keep_alive = false;
    if (parser_.head().has_content() && !open_content().answer_begins(false)) {
        frame_.keep_alive = false;
    }
    write_busy(home_, output_, frame_);
    return progress::answered;
}

}  // namespace rill::http
