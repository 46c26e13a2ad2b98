// TCP echo with asio's C++20 coroutines, as its users write it.
#include <array>
#include <utility>

#include "asio_address.hpp"

using asio::ip::tcp;

namespace {

asio::awaitable<void> echo(tcp::socket socket) {
    try {
        std::array<char, 4096> buffer;
        for (;;) {
            auto const size =
                co_await socket.async_read_some(asio::buffer(buffer), asio::use_awaitable);
            co_await asio::async_write(socket, asio::buffer(buffer.data(), size),
                                       asio::use_awaitable);
        }
    } catch (std::exception const&) {  // the peer has gone
    }
}

asio::awaitable<void> listen(tcp::acceptor acceptor) {
    auto const executor = co_await asio::this_coro::executor;
    for (;;) {
        auto socket = co_await acceptor.async_accept(asio::use_awaitable);
        socket.set_option(tcp::no_delay(true));
        asio::co_spawn(executor, echo(std::move(socket)), asio::detached);
    }
}

}  // namespace

int main(int argc, char** argv) {
    asio::io_context context(1);
    asio::co_spawn(context, listen(listen_on(context, endpoint_from(argc, argv))), asio::detached);
    context.run();
}
