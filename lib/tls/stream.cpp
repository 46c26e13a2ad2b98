// TLS over any byte stream: the class that programs see.
#include "rill/tls/stream.hpp"

#include "rill/coro/as_result.hpp"
#include "rill/rt/core.hpp"
#include "tls/stream_state.hpp"

namespace rill::tls {

stream::stream(byte_stream& below, context const& with, std::string_view name)
    : state_(new state(below, with, name)) {}

stream::~stream() {
    state_->release();
}

task<result<void>> stream::handshake(time_point deadline) {
    return state_->handshake(deadline);
}

std::string_view stream::failure() const noexcept {
    return state_->tls().failure();
}

std::optional<version> stream::version() const noexcept {
    if (!state_->established()) return std::nullopt;
    return SSL_version(state_->tls().get()) == TLS1_2_VERSION ? tls::version::tls_1_2
                                                              : tls::version::tls_1_3;
}

std::string_view stream::cipher() const noexcept {
    SSL_CIPHER const* const agreed = SSL_get_current_cipher(state_->tls().get());
    return agreed == nullptr ? std::string_view() : SSL_CIPHER_standard_name(agreed);
}

std::string_view stream::protocol() const noexcept {
    unsigned char const* name = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(state_->tls().get(), &name, &size);
    return {reinterpret_cast<char const*>(name), size};
}

std::string_view stream::server_name() const noexcept {
    char const* const name = SSL_get_servername(state_->tls().get(), TLSEXT_NAMETYPE_host_name);
    return name == nullptr ? std::string_view() : name;
}

void stream::finish() noexcept {
    state_->finish();
}
void stream::close() noexcept {
    state_->close();
}
void stream::watch_end(chain* who) noexcept {
    state_->below().watch_end(who);
}
address stream::remote_address() const {
    return state_->below().remote_address();
}
address stream::local_address() const {
    return state_->below().local_address();
}
std::optional<result<lease>> stream::begin_receive(input_waiter& who) noexcept {
    return state_->begin_receive(who);
}
bool stream::stop_receive(input_waiter& who) noexcept {
    return state_->stop_receive(who);
}
void stream::put_back(lease input) noexcept {
    state_->put_back(std::move(input));
}
std::optional<result<void>> stream::begin_write(pending_write& what) noexcept {
    return state_->begin_write(what);
}
void stream::stop_write(pending_write& what, std::error_code why) noexcept {
    state_->stop_write(what, why);
}

task<> close_gracefully(stream& what, std::size_t most_bytes, duration longest) {
    time_point const deadline = later(core::current().now(), longest);
    what.finish();
    for (std::size_t dropped = 0; dropped < most_bytes;) {
        auto const rest = co_await as_result(what.receive(deadline));
        if (!rest || !*rest) break;
        dropped += rest->size();
    }
    what.close();
}

}  // namespace rill::tls
