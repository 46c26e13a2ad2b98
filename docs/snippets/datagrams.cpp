// Datagrams one by one and in batches, and a descriptor that travels.
#include <rill/coro.hpp>
#include <rill/io/local.hpp>
#include <rill/io/udp.hpp>
#include <rill/rt.hpp>

#include <array>
#include <cstdio>

// A question and its answer. UDP promises neither, so there is a deadline and a second try.
rill::task<> ask(rill::address const& server) {
    auto socket = rill::udp::socket::connect(server);
    for (int i = 0; i < 3; ++i) {
        // What ICMP said of the last try is told here ("connection refused"); nothing was sent.
        auto const sent = co_await rill::as_result(socket.send("ping"));
        if (!sent) continue;
        auto const until = rill::deadline_in(std::chrono::seconds(1));
        auto const answer = co_await rill::as_result(socket.receive(until));
        if (answer) co_return;
    }
    throw rill::error(rill::errc::timed_out, "ask", server.text());
}

// Takes what is there in one go, and answers all of it in one transition into the kernel.
rill::task<> answer_all(rill::udp::socket& socket) {
    std::array<rill::udp::datagram, 32> questions;
    std::array<rill::address, 32> from;
    std::array<rill::outgoing_datagram, 32> answers;
    for (;;) {
        std::size_t const count = co_await socket.receive(questions);
        for (std::size_t i = 0; i < count; ++i) {
            from[i] = questions[i].from();
            answers[i] = {*questions[i], &from[i]};
        }
        std::span<rill::outgoing_datagram const> const batch(answers.data(), count);
        auto const sent = co_await rill::as_result(socket.send(batch));
        if (!sent) std::printf("none of %zu was sent\n", count);
    }
}

// The peer gets a copy of the file's descriptor; what it does not take is closed.
rill::task<> pass_a_file() {
    auto ends = rill::local::make_pair();
    rill::file::root const folder("/");
    std::array<rill::file::handle, 1> files;
    files[0] = co_await rill::file::open_beneath(folder, "etc/passwd");
    co_await ends.first.send("the users", files);
    auto message = co_await ends.second.receive();
    auto const taken = message.take_descriptors();
    std::printf("%zu descriptor came\n", taken.size());
}

rill::task<> main_task() {
    auto server = rill::udp::socket::bind("127.0.0.1:0");
    rill::address const at = server.local_address();
    co_await rill::when_any(ask(at), answer_all(server));
    co_await pass_a_file();
}

int main() {
    rill::run(main_task());
}
