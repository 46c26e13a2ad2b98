// The client's side of the opening handshake. RFC 6455 section 4.1.
#include "rill/ws/connect.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "codec/base64.hpp"
#include "codec/ws_handshake.hpp"
#include "rill/base/url.hpp"
#include "rill/io/tcp.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"
#include "ws/connection.hpp"

namespace rill::ws {

namespace {

constexpr std::size_t most_head_bytes = 16 * 1024;
constexpr char const* operation = "connect a WebSocket to";

std::string make_key() {
    std::array<std::byte, 16> nonce{};
    core::current().io().random(nonce);
    return codec::encode_base64(nonce);
}

url parse_target(std::string_view text) {
    auto where = url::parse(text);
    if (!where) throw error(where.error(), operation, text);
    if (where->scheme() == "ws") return *std::move(where);
    bool const secure = where->scheme() == "wss";
    throw error(secure ? errc::unsupported : errc::bad_url, operation, text,
                secure ? "wss is not there yet: use ws" : "the scheme is ws");
}

std::string make_request(url const& where, std::string_view key, connect_options const& with) {
    std::string text = "GET ";
    text += where.path();
    if (where.has_query()) text.append("?").append(where.query());
    text += " HTTP/1.1\r\nHost: ";
    bool const brackets = where.host_kind() == url_host_kind::ipv6;
    text.append(brackets ? "[" : "").append(where.host()).append(brackets ? "]" : "");
    if (where.port()) text.append(":").append(std::to_string(*where.port()));
    text += "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
    text.append("Sec-WebSocket-Key: ").append(key).append("\r\n");
    auto const add = [&](std::string_view name, std::string_view value) {
        if (!http1::is_token(name) || !http1::is_field_value(value)) {
            throw error(std::make_error_code(std::errc::invalid_argument), operation, name,
                        "a field is a token and a value without line ends");
        }
        text.append(name).append(": ").append(value).append("\r\n");
    };
    if (!with.protocols.empty()) add("Sec-WebSocket-Protocol", with.protocols);
    for (auto const& each : with.fields) add(each.name, each.value);
    return text += "\r\n";
}

// The head of the answer; what came behind it is received next.
task<std::string> read_head(byte_stream& peer, std::string_view target, time_point limit) {
    std::string head;
    for (;;) {
        auto input = co_await peer.receive(limit);
        if (!input) throw error(errc::end_of_stream, operation, target);
        std::size_t const before = head.size();
        head += input.view().text();
        std::size_t const end = head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
        if (end == std::string::npos) {
            if (head.size() > most_head_bytes) throw error(errc::limit_exceeded, operation, target);
            continue;
        }
        head.resize(end + 4);
        input.consume(head.size() - before);
        if (input) receive_operation::give_back(peer, std::move(input));
        break;
    }
    co_return head;
}

void check_answer(codec::ws_answer const& answer, std::string_view target,
                  connect_options const& with) {
    std::string why = answer.why == nullptr ? "" : answer.why;
    if (answer.status != 101 && answer.status != 0) {
        why += " with status " + std::to_string(answer.status);
    }
    if (why.empty() && !answer.protocol.empty()) {
        http1::list_reader offered(with.protocols);
        auto each = offered.next();
        while (each && *each != answer.protocol) each = offered.next();
        if (!each) why = "the server chooses a subprotocol that was not offered";
    }
    if (!why.empty()) throw error(errc::protocol, operation, target, why);
}

}  // namespace

task<socket> connect(std::string_view target, connect_options with) {
    time_point const limit = deadline_in(with.timeout);
    url const where = parse_target(target);
    std::string const key = make_key();
    std::string const request = make_request(where, key, with);
    std::uint16_t const port = where.effective_port().value_or(80);
    auto peer =
        std::make_unique<tcp::stream>(co_await timeout_at(limit, tcp::connect(where.host(), port)));
    co_await peer->write(request, limit);
    std::string const head = co_await read_head(*peer, target, limit);
    codec::ws_answer const answer = codec::read_ws_answer(head, key);
    check_answer(answer, target, with);
    socket made(std::make_unique<detail::connection>(std::move(peer), with.socket));
    made.set_protocol(answer.protocol);
    co_return made;
}

}  // namespace rill::ws
