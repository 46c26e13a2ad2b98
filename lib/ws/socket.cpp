// The face of a WebSocket connection. RFC 6455.
#include "rill/ws/socket.hpp"

#include <utility>

#include "ws/connection.hpp"

namespace rill::ws {

namespace {

constexpr codec::ws_opcode opcode_of(kind what) noexcept {
    return what == kind::text ? codec::ws_opcode::text : codec::ws_opcode::binary;
}

}  // namespace

socket::socket(byte_stream& peer, role side, socket_options const& options)
    : state_(std::make_unique<detail::connection>(peer, side, options)) {}
socket::socket(std::unique_ptr<detail::connection> state) noexcept : state_(std::move(state)) {}
socket::socket(socket&& other) noexcept = default;
socket& socket::operator=(socket&& other) noexcept = default;
socket::~socket() = default;

task<message> socket::receive() {
    return state_->receive();
}
task<> socket::send(std::string_view text) {
    return state_->send(codec::ws_opcode::text, text);
}
task<> socket::send_binary(bytes content) {
    return state_->send(codec::ws_opcode::binary, content);
}
task<> socket::send(kind what, bytes content) {
    return state_->send(opcode_of(what), content);
}
task<> socket::send_fragment(kind what, bytes content, bool last) {
    return state_->send_fragment(opcode_of(what), content, last);
}
task<> socket::ping(bytes payload) {
    return state_->ping(payload);
}
task<> socket::close(unsigned code, std::string_view reason) {
    return state_->close(code, reason);
}

task<> socket::leave(unsigned code) {
    return state_->leave(code);
}

bool socket::ended() const noexcept {
    return state_->ended();
}
unsigned socket::close_code() const noexcept {
    return state_->close_code();
}
std::string_view socket::close_reason() const noexcept {
    return state_->close_reason();
}
std::string_view socket::protocol() const noexcept {
    return state_->protocol;
}
address socket::remote_address() const {
    return state_->stream().remote_address();
}
void socket::set_protocol(std::string_view name) {
    state_->protocol = name;
}

}  // namespace rill::ws
