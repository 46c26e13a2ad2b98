// tcp::remote from threads that are no cores, while the stream's core runs.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "rill/io/remote.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

constexpr int thread_count = 4;
constexpr int lines_each = 500;

// Sends `lines_each` lines, each as one piece, and drops its handle.
void send_lines(tcp::remote const& to, char name) {
    std::string const line = std::string(60, name) + "\n";
    for (int sent = 0; sent < lines_each;) {
        auto const done = to.send(line);
        if (done) ++sent;
        if (done.error() == errc::closed) return;
    }
}

}  // namespace

RILL_KERNEL_TEST("lines from several threads arrive whole, each thread's in order, then the end") {
    test::pair ends;
    co_await test::make_pair(ends);
    std::thread all([handle = ends.server.remote()] {
        std::vector<std::thread> senders;
        for (int i = 0; i < thread_count; ++i) {
            senders.emplace_back(send_lines, handle, static_cast<char>('a' + i));
        }
        for (std::thread& each : senders) each.join();
        handle.finish();
    });
    std::string const got = co_await test::read_all(ends.client);
    all.join();
    std::size_t lines = 0;
    for (std::size_t at = 0; at + 61 <= got.size(); at += 61, ++lines) {
        REQUIRE(got[at + 60] == '\n');
        REQUIRE(got.find_first_not_of(got[at], at) == at + 60);
    }
    CHECK(lines == std::size_t{thread_count} * lines_each);
    CHECK(lines * 61 == got.size());
}

RILL_KERNEL_TEST("a stream that closes while threads send to it harms none of them") {
    for (int round = 0; round < 20; ++round) {
        std::thread sender;
        {
            test::pair ends;
            co_await test::make_pair(ends);
            sender = std::thread(send_lines, ends.server.remote(), 'x');
            auto const first = co_await test::read_exactly(ends.client, 61);
            CHECK(first.front() == 'x');
        }
        sender.join();
    }
}

}  // namespace rill
