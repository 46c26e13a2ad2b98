// TCP streams.
#include "rill/io/tcp.hpp"

#include "io/socket.hpp"
#include "rill/coro/as_result.hpp"

namespace rill::tcp {

stream& stream::operator=(stream&& other) noexcept {
    if (this != &other) {
        if (socket_ != nullptr) socket_->release();
        socket_ = std::exchange(other.socket_, nullptr);
    }
    return *this;
}

stream::~stream() {
    if (socket_ != nullptr) socket_->release();
}

void stream::close() noexcept {
    bytes_of().close();
}

void stream::reset() noexcept {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    if (socket_->closed()) return;
    socket_->reset_on_close();
    socket_->close();
}

tcp::remote stream::remote() const {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    return tcp::remote(socket_->link());
}

byte_stream& stream::bytes_of() const noexcept {
    RILL_ASSERT(socket_ != nullptr, "this stream was moved from or never connected");
    return *socket_;
}

stream stream::adopt(core& home, int descriptor, stream_options const& with) {
    stream_settings const settings{.no_delay = with.no_delay,
                                   .keep_alive_seconds = with.keep_alive_seconds,
                                   .send_buffer_bytes = with.send_buffer_bytes,
                                   .receive_buffer_bytes = with.receive_buffer_bytes};
    home.io().configure(descriptor, settings);
    return stream(new socket(home, descriptor));
}

int stream::take_descriptor() noexcept {
    return std::exchange(socket_, nullptr)->detach();
}

task<> close_gracefully(stream& what, std::size_t most_bytes, duration longest) {
    what.finish();
    time_point const deadline = later(core::current().now(), longest);
    std::size_t dropped = 0;
    while (dropped < most_bytes) {
        auto const rest = co_await as_result(what.receive(deadline));
        if (!rest || !*rest) break;
        dropped += rest->size();
    }
    what.close();
}

}  // namespace rill::tcp
