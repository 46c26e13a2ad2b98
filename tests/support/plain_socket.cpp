// A blocking socket that asks for no memory.
#include "support/plain_socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace rill::test {

plain_socket::plain_socket(std::uint16_t port)
    : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    timeval const patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(port);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&name), sizeof(name)) != 0) {
        throw std::system_error(errno, std::system_category(), "connect");
    }
}

plain_socket::~plain_socket() {
    ::close(descriptor_);
}

std::size_t plain_socket::ask(std::string_view request) noexcept {
    char memory[16 * 1024];
    ::send(descriptor_, request.data(), request.size(), MSG_NOSIGNAL);
    std::size_t size = 0;
    for (;;) {
        ssize_t const count = ::recv(descriptor_, memory + size, sizeof(memory) - size, 0);
        if (count <= 0) return 0;
        size += static_cast<std::size_t>(count);
        // An answer in chunks may come in pieces; every other is small enough for one.
        std::string_view const text(memory, size);
        if (text.find("chunked") == std::string_view::npos || text.ends_with("0\r\n\r\n")) {
            return size;
        }
    }
}

void plain_socket::ask_again(std::string_view request, std::size_t size) noexcept {
    char memory[16 * 1024];
    ::send(descriptor_, request.data(), request.size(), MSG_NOSIGNAL);
    for (std::size_t left = size; left != 0;) {
        ssize_t const count = ::recv(descriptor_, memory, left, 0);
        if (count <= 0) {
            std::fputs("no answer\n", stderr);
            std::abort();
        }
        left -= static_cast<std::size_t>(count);
    }
}

}  // namespace rill::test
