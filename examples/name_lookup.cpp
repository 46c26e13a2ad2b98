// Looks names up with c-ares: rill waits for its sockets and its timers.
// Run: ./name_lookup 9.9.9.9:53 example.org example.com
#include <ares.h>
#include <netdb.h>
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <array>
#include <cstdio>
#include <string>

void on_answer(void* context, int status, int, hostent* found) {
    auto done = rill::completer<std::string>::from_pointer(context);
    if (status != ARES_SUCCESS) return done.complete(ares_strerror(status));
    std::array<char, 64> text{};
    ares_inet_ntop(found->h_addrtype, found->h_addr_list[0], text.data(), text.size());
    done.complete(text.data());
}

// Waits until one of the sockets is as c-ares wants it, or it is time to ask again.
rill::task<> turn(ares_channel channel, int wanted, ares_socket_t const* sockets) {
    auto const waits = [=](rill::task_group& group) -> rill::task<> {
        auto const one = [channel, &group](ares_socket_t of, bool write) -> rill::task<> {
            if (write) co_await rill::writable(of);
            if (!write) co_await rill::readable(of);
            ares_process_fd(channel, write ? ARES_SOCKET_BAD : of, write ? of : ARES_SOCKET_BAD);
            group.cancel(rill::cancel_reason::sibling);  // what it wants has changed
        };
        for (int i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
            if (ARES_GETSOCK_READABLE(wanted, i)) group.spawn(one, sockets[i], false);
            if (ARES_GETSOCK_WRITABLE(wanted, i)) group.spawn(one, sockets[i], true);
        }
        co_return;
    };
    timeval room{};
    ares_timeout(channel, nullptr, &room);
    auto const length = std::chrono::seconds(room.tv_sec) + std::chrono::microseconds(room.tv_usec);
    auto const ready =
        co_await rill::as_result(rill::timeout(length, rill::with_task_group(waits)));
    if (!ready) ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

rill::task<> look_up(ares_channel channel, char const* name) {
    rill::completion<std::string> answer;
    ares_gethostbyname(channel, name, AF_INET, on_answer, answer.completer().to_pointer());
    std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets{};
    while (int const wanted = ares_getsock(channel, sockets.data(), ARES_GETSOCK_MAXNUM))
        co_await turn(channel, wanted, sockets.data());
    auto const text = co_await answer.wait();
    std::printf("%s: %s\n", name, text.c_str());
}

int main(int argc, char** argv) {
    ares_channel channel = nullptr;
    if (argc < 3 || ares_init(&channel) != ARES_SUCCESS) return 1;
    ares_set_servers_ports_csv(channel, argv[1]);
    for (int i = 2; i < argc; ++i) rill::run(look_up(channel, argv[i]));
    ares_destroy(channel);
}
