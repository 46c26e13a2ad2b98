// What a datagram costs: sends or receives for some seconds and prints how many datagrams there
// were and the CPU time of this process in nanoseconds.
//   udp_cost receive plain|rill|batch|merge SECONDS SIZE          prints its port first
//   udp_cost send    plain|rill|batch|segments SECONDS SIZE PORT
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "rill/coro.hpp"
#include "rill/io/udp.hpp"
#include "rill/rt.hpp"

namespace {

struct job {
    std::string_view variant;
    double seconds;
    std::size_t size;
    int port;
};

std::uint64_t clock_ns(clockid_t which) {
    timespec at{};
    ::clock_gettime(which, &at);
    return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(at.tv_nsec);
}

/// Measures from its making to `report`.
class meter {
public:
    explicit meter(double seconds)
        : end_(clock_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(seconds * 1e9)),
          cpu_(clock_ns(CLOCK_PROCESS_CPUTIME_ID)) {}
    [[nodiscard]] bool over() const { return clock_ns(CLOCK_MONOTONIC) >= end_; }
    void report(std::uint64_t datagrams) const {
        std::printf("datagrams=%llu cpu_ns=%llu\n", static_cast<unsigned long long>(datagrams),
                    static_cast<unsigned long long>(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_));
    }

private:
    std::uint64_t end_;
    std::uint64_t cpu_;
};

void say_port(int port) {
    std::printf("port=%d\n", port);
    std::fflush(stdout);
}

void receive_plain(job const& what) {
    int const socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const at = reinterpret_cast<sockaddr*>(&name);
    socklen_t size = sizeof name;
    int const buffer = 4 << 20;
    timeval const patience{.tv_sec = 0, .tv_usec = 50'000};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::bind(socket, at, size) != 0 || ::getsockname(socket, at, &size) != 0) std::exit(1);
    say_port(ntohs(name.sin_port));
    std::array<char, 65536> into{};
    std::uint64_t count = 0;
    meter const measured(what.seconds);
    while (!measured.over()) {
        size = sizeof name;
        if (::recvfrom(socket, into.data(), into.size(), 0, at, &size) >= 0) ++count;
    }
    measured.report(count);
}

rill::task<> receive_rill(job const& what) {
    bool const merge = what.variant == "merge";
    auto socket = rill::udp::socket::bind(
        "127.0.0.1:0", {.merge = merge, .most_unread = 256, .receive_buffer_bytes = 4 << 20});
    say_port(socket.local_address().port());
    std::array<rill::udp::datagram, 64> some;
    std::uint64_t count = 0;
    meter const measured(what.seconds);
    while (!measured.over()) {
        auto const deadline = rill::deadline_in(std::chrono::milliseconds(50));
        if (what.variant == "batch") {
            auto const got = co_await rill::as_result(socket.receive(some, deadline));
            if (got) count += *got;
        } else {
            auto const got = co_await rill::as_result(socket.receive(deadline));
            if (got) count += got->segment_count();
        }
    }
    measured.report(count);
}

void send_plain(job const& what) {
    int const socket = ::socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port = htons(static_cast<std::uint16_t>(what.port));
    std::string const text(what.size, 'd');
    std::uint64_t count = 0;
    meter const measured(what.seconds);
    while (!measured.over()) {
        for (int i = 0; i < 64; ++i) {
            if (::sendto(socket, text.data(), text.size(), 0, reinterpret_cast<sockaddr*>(&name),
                         sizeof name) >= 0) {
                ++count;
            }
        }
    }
    measured.report(count);
}

rill::task<> send_rill(job const& what) {
    auto socket = rill::udp::socket::bind("127.0.0.1:0");
    rill::address const to = *rill::address::parse("127.0.0.1:" + std::to_string(what.port));
    bool const segments = what.variant == "segments";
    std::size_t const at_once = segments ? std::min<std::size_t>(64, 65'000 / what.size) : 64;
    std::string const text(what.size * (segments ? at_once : 1), 'd');
    std::vector<rill::outgoing_datagram> const batch(at_once, {text, &to});
    std::uint64_t count = 0;
    meter const measured(what.seconds);
    while (!measured.over()) {
        if (segments) {
            auto const size = static_cast<std::uint16_t>(what.size);
            auto const sent = co_await rill::as_result(socket.send_segments(text, size, &to));
            if (sent) count += at_once;
        } else if (what.variant == "batch") {
            auto const sent = co_await rill::as_result(socket.send(batch));
            if (sent) count += *sent;
        } else {
            auto const sent = co_await rill::as_result(socket.send_to(text, to));
            if (sent) ++count;
        }
    }
    measured.report(count);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fputs("usage: udp_cost receive|send VARIANT SECONDS SIZE [PORT]\n", stderr);
        return 2;
    }
    job const what{.variant = argv[2],
                   .seconds = std::atof(argv[3]),
                   .size = static_cast<std::size_t>(std::atol(argv[4])),
                   .port = argc > 5 ? std::atoi(argv[5]) : 0};
    bool const sends = std::string_view(argv[1]) == "send";
    if (what.variant == "plain") {
        sends ? send_plain(what) : receive_plain(what);
    } else {
        rill::run(sends ? send_rill(what) : receive_rill(what));
    }
    return 0;
}
