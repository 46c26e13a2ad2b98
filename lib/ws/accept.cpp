// The server's side of the opening handshake, and the life of a session. RFC 6455 section 4.2.
#include "rill/ws/accept.hpp"

#include <exception>

#include "codec/ws_handshake.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/http/problem.hpp"
#include "rill/rt/sleep.hpp"

namespace rill::ws::detail {

namespace {

// A field that may come in several lines counts as one list. RFC 9110 section 5.3.
bool offers(http::request const& req, std::string_view protocol) {
    for (auto const field : req.headers()) {
        if (!http1::equal_ignoring_case(field.name, "sec-websocket-protocol")) continue;
        http1::list_reader list(field.value);
        while (auto const each = list.next()) {
            if (*each == protocol) return true;  // names are compared with their case
        }
    }
    return false;
}

bool is_welcome(http::request const& req, std::string_view origins) {
    std::string_view const origin = req.header("origin");
    if (origin.empty() || origins == "*") return true;
    if (origins.empty()) return codec::is_same_origin(origin, req.host());
    return http1::list_contains(origins, origin);
}

}  // namespace

agreement shake_hands(http::request const& req, accept_options const& options) {
    agreement made;
    if (req.method() != http::method::get || !req.upgrades_to("websocket") ||
        req.header("sec-websocket-version") != "13") {
        made.refusal = to_response(http::problem(http::status::upgrade_required));
        made.refusal.headers().set("upgrade", "websocket");
        made.refusal.headers().set("sec-websocket-version", "13");
        return made;
    }
    std::string_view const key = req.header("sec-websocket-key");
    if (!codec::is_ws_key(key)) {
        made.refusal = to_response(http::problem(400, "Sec-WebSocket-Key is base64 of 16 bytes"));
        return made;
    }
    if (!is_welcome(req, options.origins)) {
        made.refusal = to_response(http::problem(403, "pages of this origin may not connect"));
        return made;
    }
    made.accepted = true;
    made.key_answer = codec::ws_accept_of(key);
    http1::list_reader spoken(options.protocols);
    while (auto const each = spoken.next()) {
        if (!offers(req, *each)) continue;
        made.protocol = *each;
        break;
    }
    return made;
}

http::response finish_handshake(http::response answer, agreement const& with) {
    answer.headers().set("sec-websocket-accept", with.key_answer);
    if (!with.protocol.empty()) answer.headers().set("sec-websocket-protocol", with.protocol);
    return answer;
}

namespace {

// Says goodbye when the server stops. It never ends before the session does.
task<> leave_with_server(socket& peer, event& stopping) {
    co_await stopping.wait();
    co_await peer.leave(1001);
    co_await sleep_until(never);
}

}  // namespace

task<> serve(http::upgraded& peer, socket_options const& options, std::string_view protocol,
             session_ref session) {
    socket connection(peer.stream(), role::server, options);
    connection.set_protocol(protocol);
    std::exception_ptr failure;
    try {
        static_cast<void>(co_await when_any(session.run(session.object, connection),
                                            leave_with_server(connection, peer.stopping())));
    } catch (...) {
        failure = std::current_exception();
    }
    // A handler that sends to a peer that is gone, and lets the error pass, has done nothing wrong.
    if (connection.ended()) co_return;
    co_await connection.close(failure ? 1011 : 1000);
    if (failure) std::rethrow_exception(failure);
}

}  // namespace rill::ws::detail
