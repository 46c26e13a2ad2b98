// TCP streams.
#include "rill/io/tcp.hpp"

#include "io/socket.hpp"
#include "rill/coro/as_result.hpp"

namespace rill::tcp {

rill::socket& stream::socket_of() const noexcept {
    return static_cast<rill::socket&>(bytes_of());
}

stream& stream::operator=(stream&& other) noexcept {
    if (this != &other) {
        if (stream_ != nullptr) socket_of().release();
        stream_ = std::exchange(other.stream_, nullptr);
    }
    return *this;
}

stream::~stream() {
    if (stream_ != nullptr) socket_of().release();
}

void stream::reset() noexcept {
    rill::socket& of = socket_of();
    if (of.closed()) return;
    of.reset_on_close();
    of.close();
}

tcp::remote stream::remote() const {
    return tcp::remote(socket_of().link());
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
    rill::socket& of = socket_of();
    stream_ = nullptr;
    return of.detach();
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
