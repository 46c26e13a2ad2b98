// TCP echo with asio's callbacks, as its users write it: a session that owns itself.
#include <array>
#include <memory>
#include <utility>

#include "asio_address.hpp"

using asio::ip::tcp;

namespace {

class session : public std::enable_shared_from_this<session> {
public:
    explicit session(tcp::socket socket) : socket_(std::move(socket)) {}

    void read() {
        socket_.async_read_some(
            asio::buffer(buffer_),
            [self = shared_from_this()](asio::error_code error, std::size_t size) {
                if (!error) self->write(size);
            });
    }

private:
    void write(std::size_t size) {
        asio::async_write(socket_, asio::buffer(buffer_.data(), size),
                          [self = shared_from_this()](asio::error_code error, std::size_t) {
                              if (!error) self->read();
                          });
    }

    tcp::socket socket_;
    std::array<char, 4096> buffer_{};
};

void accept(tcp::acceptor& acceptor) {
    acceptor.async_accept([&acceptor](asio::error_code error, tcp::socket socket) {
        if (!error) {
            socket.set_option(tcp::no_delay(true));
            std::make_shared<session>(std::move(socket))->read();
        }
        accept(acceptor);
    });
}

}  // namespace

int main(int argc, char** argv) {
    asio::io_context context(1);
    auto acceptor = listen_on(context, endpoint_from(argc, argv));
    accept(acceptor);
    context.run();
}
