// Events that a page gets while it is open: a counter that goes on where its client left off.
// Run: ./server_events 127.0.0.1:8080   then look at http://127.0.0.1:8080/
//      or: curl -N -H "Last-Event-ID: 41" http://127.0.0.1:8080/events
#include <rill/rt/sleep.hpp>
#include <rill/web.hpp>
#include <rill/web/sse.hpp>

#include <charconv>
#include <string>

using namespace std::chrono_literals;
namespace web = rill::web;

constexpr char page[] = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Events</title>
<style>
  body { font: 1.2rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 4rem auto }
  output { display: block; font-size: 4rem; font-variant-numeric: tabular-nums }
</style>
<h1>Events</h1>
<output id="count">-</output>
<p id="state">connecting</p>
<script>
  const events = new EventSource("/events");
  const show = (id, text) => document.getElementById(id).textContent = text;
  events.onopen = () => show("state", "connected");
  events.onerror = () => show("state", "connecting again");
  events.addEventListener("count", event => show("count", event.data));
</script>
</html>
)";

// Cancelled when the client leaves, and when the server stops.
rill::task<> count(web::event_sink& out) {
    unsigned at = 0;
    std::string_view const last = out.last_event_id();  // of a client that comes back
    std::from_chars(last.data(), last.data() + last.size(), at);
    for (;;) {
        ++at;
        std::string const text = std::to_string(at);
        co_await out.send({.data = text, .event = "count", .id = text});
        co_await rill::sleep(1s);
    }
}

int main(int argc, char** argv) {
    web::router app;
    app.get("/", [] {
        return rill::http::content(rill::http::literal(page), rill::http::content_types::html);
    });
    app.get("/events", [](rill::http::request& req) {
        return web::sse(req, count, {.heartbeat = 20s, .retry = 2s});
    });
    return web::serve(app, argc > 1 ? argv[1] : ":8080");
}
