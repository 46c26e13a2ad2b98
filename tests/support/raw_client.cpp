// A client that sends exactly the bytes it is told to, over a blocking socket.
#include "support/raw_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace rill::test {

namespace {

constexpr int patience_ms = 30'000;

void wait_for(int descriptor, short what) {
    pollfd one{.fd = descriptor, .events = what, .revents = 0};
    int const ready = ::poll(&one, 1, patience_ms);
    if (ready == 0) throw std::runtime_error("the peer neither answers nor closes");
}

std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
    }
    return text;
}

[[noreturn]] void fail(char const* what) {
    throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

std::string raw_answer::field(std::string_view name) const {
    std::string const wanted = "\r\n" + std::string(name) + ": ";
    std::size_t const at = lower(head).find(wanted);
    if (at == std::string::npos) return {};
    std::size_t const begin = at + wanted.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
}

std::size_t raw_answer::count(std::string_view name) const {
    std::string const wanted = "\r\n" + std::string(name) + ":";
    std::string const text = lower(head);
    std::size_t found = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos;
         at = text.find(wanted, at + 1)) {
        ++found;
    }
    return found;
}

namespace {

bool is_loopback_v6(address const& to) {
    return to.kind() == address::family::ipv6 && to.host() == "::1";
}

}  // namespace

raw_client::raw_client(address const& to, int receive_buffer_bytes)
    : descriptor_(
          ::socket(is_loopback_v6(to) ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (descriptor_ < 0) fail("socket");
    if (receive_buffer_bytes != 0) {
        ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                     sizeof(receive_buffer_bytes));
    }
    int const on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_port = htons(to.port());
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 name6{};
    name6.sin6_family = AF_INET6;
    name6.sin6_port = htons(to.port());
    name6.sin6_addr = in6addr_loopback;
    int const outcome =
        is_loopback_v6(to)
            ? ::connect(descriptor_, reinterpret_cast<sockaddr*>(&name6), sizeof(name6))
            : ::connect(descriptor_, reinterpret_cast<sockaddr*>(&name), sizeof(name));
    if (outcome != 0) {
        int const why = errno;
        ::close(descriptor_);
        errno = why;
        fail("connect");
    }
}

raw_client::~raw_client() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool raw_client::send(std::string_view what) {
    while (!what.empty()) {
        wait_for(descriptor_, POLLOUT);
        ssize_t const count =
            ::send(descriptor_, what.data(), what.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count < 0 && errno == EAGAIN) continue;
        if (count < 0) return false;
        what.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool raw_client::send_in_bytes(std::string_view what) {
    for (std::size_t i = 0; i < what.size(); ++i) {
        if (!send(what.substr(i, 1))) return false;
    }
    return true;
}

void raw_client::end() {
    ::shutdown(descriptor_, SHUT_WR);
}

void raw_client::reset() {
    linger const at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    ::close(descriptor_);
    descriptor_ = -1;
}

bool raw_client::receive() {
    char memory[16 * 1024];
    wait_for(descriptor_, POLLIN);
    ssize_t const count = ::recv(descriptor_, memory, sizeof(memory), 0);
    if (count <= 0) return false;
    input_.append(memory, static_cast<std::size_t>(count));
    return true;
}

raw_answer raw_client::read(bool head_only) {
    raw_answer answer;
    std::size_t end = std::string::npos;
    while ((end = input_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) return answer;
    }
    answer.head = input_.substr(0, end + 4);
    input_.erase(0, end + 4);
    answer.status = std::atoi(answer.head.c_str() + std::string_view("HTTP/1.1 ").size());
    std::string const length = answer.field("content-length");
    std::size_t const size = head_only ? 0 : std::strtoull(length.c_str(), nullptr, 10);
    while (input_.size() < size) {
        if (!receive()) throw std::runtime_error("the connection ended inside of a body");
    }
    answer.body = input_.substr(0, size);
    input_.erase(0, size);
    return answer;
}

raw_answer raw_client::ask(std::string_view request) {
    send(request);
    return read();
}

std::string raw_client::read_bytes(std::size_t size) {
    while (input_.size() < size && receive()) continue;
    std::string const taken = input_.substr(0, size);
    input_.erase(0, taken.size());
    return taken;
}

std::string raw_client::read_rest() {
    while (receive()) continue;
    return std::exchange(input_, {});
}

bool raw_client::ended() {
    return input_.empty() && !receive();
}

}  // namespace rill::test
