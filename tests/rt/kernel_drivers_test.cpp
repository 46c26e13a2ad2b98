// The verbs of the seam that are used bare: the same results over io_uring and over epoll.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <semaphore>
#include <string>

#include "rill/rt/blocking.hpp"
#include "support/openat2.hpp"
#include "support/probe.hpp"
#include "support/sim.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::ask;
using test::finished;
using test::probe;
using test::settle;

/// Two descriptors, closed at the end.
struct ends {
    std::array<int, 2> of{-1, -1};
    ends() = default;
    ends(ends const&) = delete;
    ends& operator=(ends const&) = delete;
    ~ends() {
        close(0);
        close(1);
    }
    void close(std::size_t which) {
        if (of[which] >= 0) ::close(std::exchange(of[which], -1));
    }
};
struct pipe_ends : ends {
    pipe_ends() { REQUIRE(::pipe2(of.data(), O_CLOEXEC) == 0); }
};
/// A TCP connection: the client's end blocks.
struct tcp_pair : ends {
    tcp_pair() {
        auto& io = core::current().io();
        int const listener = *io.listen(*address::parse("127.0.0.1:0"), {});
        address const at = io.local(listener);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(at.port());
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        of[0] = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        REQUIRE(::connect(of[0], reinterpret_cast<sockaddr const*>(&to), sizeof to) == 0);
        auto const accepted = io.accept_ready(listener);
        REQUIRE(accepted.has_value());
        of[1] = *accepted;
        io.close(listener);
    }
};
struct local_pair : ends {
    local_pair() { REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, of.data()) == 0); }
};

/// An open file without a name that holds `text`.
struct nameless_file {
    int of = -1;
    explicit nameless_file(std::string const& text) {
        std::string name = "/tmp/rill-driver-XXXXXX";
        of = ::mkostemp(name.data(), O_CLOEXEC);
        REQUIRE(of >= 0);
        ::unlink(name.c_str());
        REQUIRE(::write(of, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    nameless_file(nameless_file const&) = delete;
    nameless_file& operator=(nameless_file const&) = delete;
    ~nameless_file() { ::close(of); }
};

void put(int descriptor, std::string_view text) {
    REQUIRE(::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

RILL_KERNEL_TEST("a poll tells what is so already, and what comes") {
    pipe_ends pipe;
    probe readable(verb::readable, pipe.of[0]);
    probe writable(verb::writable, pipe.of[1]);
    int const room = co_await ask(writable);
    CHECK(room == POLLOUT);
    readable.start();
    co_await settle(5);
    CHECK(readable.in_flight());
    put(pipe.of[1], "x");
    int const came = co_await finished(readable);
    CHECK(came == POLLIN);
    int const still = co_await ask(readable);
    CHECK(still == POLLIN);
    pipe.close(1);
    char byte = 0;
    CHECK(::read(pipe.of[0], &byte, 1) == 1);
    int const ended = co_await ask(readable);
    CHECK(ended == POLLHUP);
}

RILL_KERNEL_TEST("several wait on one descriptor, each for its own, and each is told") {
    local_pair pair;
    probe first(verb::readable, pair.of[0]);
    probe second(verb::readable, pair.of[0]);
    probe gone(verb::hangup, pair.of[0]);
    probe room(verb::writable, pair.of[0]);
    first.start();
    second.start();
    gone.start();
    int const has_room = co_await ask(room);
    CHECK(has_room == POLLOUT);
    co_await settle(3);
    CHECK(first.in_flight());
    put(pair.of[1], "x");
    int const one = co_await finished(first);
    int const two = co_await finished(second);
    CHECK(one == POLLIN);
    CHECK(two == POLLIN);
    co_await settle(3);
    CHECK(gone.in_flight());
    pair.close(1);
    int const hung_up = co_await finished(gone);
    CHECK((hung_up & POLLRDHUP) != 0);
}

RILL_KERNEL_TEST("a regular file can always be read and written, and cannot hang up") {
    nameless_file file("text");
    probe readable(verb::readable, file.of);
    probe writable(verb::writable, file.of);
    probe gone(verb::hangup, file.of);
    int const can_read = co_await ask(readable);
    int const can_write = co_await ask(writable);
    CHECK(can_read == POLLIN);
    CHECK(can_write == POLLOUT);
    int const nonsense = co_await ask(gone);
    CHECK(nonsense == -EINVAL);
}

RILL_KERNEL_TEST("a wait that is cancelled ends with ECANCELED, at once or a turn later") {
    pipe_ends pipe;
    probe readable(verb::readable, pipe.of[0]);
    for (int turns = 0; turns < 4; ++turns) {
        readable.start();
        co_await settle(turns);
        readable.stop();
        readable.stop();
        int const value = co_await finished(readable);
        CHECK(value == -ECANCELED);
    }
    put(pipe.of[1], "x");
    int const value = co_await ask(readable);
    CHECK(value == POLLIN);
}

RILL_KERNEL_TEST("a number that others closed and opened anew is another descriptor") {
    // As a foreign library does it, which closes its own socket without a word.
    for (int i = 0; i < 3; ++i) {
        pipe_ends pipe;
        probe readable(verb::readable, pipe.of[0]);
        put(pipe.of[1], "x");
        int const value = co_await ask(readable);
        CHECK(value == POLLIN);
    }
}

RILL_KERNEL_TEST("a descriptor that is none is EBADF, and a pipe is no socket") {
    for (int const none : {-1, 987'654, INT_MAX}) {
        for (verb const what : {verb::readable, verb::receive_stream, verb::accept_stream}) {
            probe asking(what, none);
            int const value = co_await ask(asking);
            CHECK(value == -EBADF);
        }
    }
    pipe_ends pipe;
    put(pipe.of[1], "x");
    for (verb const what : {verb::receive_stream, verb::accept_stream}) {
        probe asking(what, pipe.of[0]);
        int const value = co_await ask(asking);
        CHECK(value == -ENOTSOCK);
    }
    nameless_file file("text");
    probe asking(verb::receive_stream, file.of);
    int const value = co_await ask(asking);
    CHECK(value == -ENOTSOCK);
}

RILL_KERNEL_TEST("urgent data does not hide what follows it") {
    tcp_pair pair;
    probe receiving(verb::receive_stream, pair.of[1]);
    receiving.start();
    co_await settle(3);
    int const from = pair.of[0];
    REQUIRE(::send(from, "ab", 2, 0) == 2);
    REQUIRE(::send(from, "!", 1, MSG_OOB) == 1);
    REQUIRE(::send(from, "cd", 2, 0) == 2);
    auto const text = [&] {
        std::string all;
        for (auto const& each : receiving.outcomes()) {
            if (each.value <= 0) continue;
            auto const* const at = core::current().buffers().block(each.buffer);
            all.append(reinterpret_cast<char const*>(at), static_cast<std::size_t>(each.value));
        }
        return all;
    };
    while (text() != "abcd") co_await rill::sleep(100us);
    receiving.stop();
    int const value = co_await finished(receiving);
    CHECK(value == -ECANCELED);
    for (auto const& each : receiving.outcomes()) {
        if (each.value <= 0) continue;
        auto& buffers = core::current().buffers();
        buffers.give_back(buffers.filled(each.buffer, static_cast<std::uint32_t>(each.value)));
    }
}

RILL_KERNEL_TEST("files are written, read and sent as far as they reach") {
    nameless_file file("");
    std::string const text(10'000, 'f');
    bytes const piece(text);
    probe writing(verb::write_file, file.of);
    writing.set_pieces(&piece, 1);
    int const written = co_await ask(writing);
    CHECK(written == 10'000);

    std::string into(20'000, '\0');
    probe reading(verb::read_file, file.of);
    reading.set_into(mutable_bytes(into.data(), into.size()));
    reading.set_offset(1'000);
    int const got = co_await ask(reading);
    CHECK(got == 9'000);
    CHECK(into.substr(0, 9'000) == text.substr(0, 9'000));
    reading.set_offset(10'000);
    int const at_end = co_await ask(reading);
    CHECK(at_end == 0);

    local_pair pair;
    probe sending(verb::send_file, pair.of[0]);
    sending.set_source(file.of, 50'000);
    sending.set_offset(4'000);
    int const sent = co_await ask(sending);
    CHECK(sent == 6'000);
    sending.set_source(file.of, 1);
    sending.set_offset(10'000);
    int const nothing = co_await ask(sending);
    CHECK(nothing == -EIO);
}

RILL_KERNEL_TEST("a pipe is read and written as a file is, as soon as it is ready") {
    pipe_ends pipe;
    std::string into(100, '\0');
    probe reading(verb::read_file, pipe.of[0]);
    reading.set_into(mutable_bytes(into.data(), into.size()));
    for (int turns = 0; turns < 4; ++turns) {
        reading.start();
        co_await settle(turns);
        reading.stop();
        int const stopped = co_await finished(reading);
        CHECK((stopped == -ECANCELED || stopped == -EINTR));
    }
    reading.start();
    co_await settle(3);
    CHECK(reading.in_flight());
    bytes const text("text");
    probe writing(verb::write_file, pipe.of[1]);
    writing.set_pieces(&text, 1);
    int const written = co_await ask(writing);
    CHECK(written == 4);
    int const got = co_await finished(reading);
    CHECK(got == 4);
    CHECK(into.substr(0, 4) == "text");
    pipe.close(1);
    int const ended = co_await ask(reading);
    CHECK(ended == 0);
}

RILL_KERNEL_TEST("a file is opened below a directory and not outside of it") {
    std::string name = "/tmp/rill-driver-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    int const root = ::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    int const made = ::openat(root, "a", O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ::close(made);
    REQUIRE(::symlinkat("/etc/passwd", root, "out") == 0);
    probe opening(verb::open_beneath, root);
    opening.set_path("a");
    int const opened = co_await ask(opening);
    CHECK(opened >= 0);
    ::close(opened);
    opening.set_path("b");
    int const missing = co_await ask(opening);
    CHECK(missing == -ENOENT);
    opening.set_path("out");
    int const out = co_await ask(opening);
    CHECK(out == (test::has_openat2() ? -EXDEV : -ELOOP));
    opening.set_path("../a");
    int const above = co_await ask(opening);
    CHECK(above == -EXDEV);
    ::unlinkat(root, "a", 0);
    ::unlinkat(root, "out", 0);
    ::close(root);
    ::rmdir(name.c_str());
}

RILL_KERNEL_TEST("a large file goes to a slow reader as its socket takes it") {
    std::string text;
    for (int i = 0; text.size() < 3'000'000; ++i) text += std::to_string(i) + ",";
    nameless_file file(text);
    test::pair both;
    co_await test::make_pair(both);
    auto sending = [&]() -> task<> {
        file_piece const whole{.descriptor = file.of, .offset = 0, .size = text.size()};
        byte_stream& to = both.server;
        co_await to.write(whole);
        both.server.finish();
    };
    auto const got = co_await when_all(sending(), test::read_all(both.client));
    CHECK(std::get<1>(got) == text);
}

RILL_KERNEL_TEST("a connect to a local listener whose queue is full waits for room") {
    std::string name = "/tmp/rill-driver-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    std::string const path = name + "/socket";
    address const at = *address::unix_path(path);
    auto& io = core::current().io();
    int const listener = *io.listen(at, {.backlog = 0});
    std::array<int, 4> clients{};
    std::array<std::unique_ptr<probe>, 4> connecting;
    for (std::size_t i = 0; i < clients.size(); ++i) {
        clients[i] = *io.open_stream(address::family::local);
        connecting[i] = std::make_unique<probe>(verb::connect, clients[i]);
        connecting[i]->set_target(at);
        connecting[i]->start();
    }
    int const first = co_await finished(*connecting[0]);
    CHECK(first == 0);
    co_await rill::sleep(5ms);
    CHECK(connecting[3]->in_flight());
    connecting[2]->stop();
    int const stopped = co_await finished(*connecting[2]);
    CHECK((stopped == -ECANCELED || stopped == -EINTR));
    std::vector<int> accepted;
    while (connecting[1]->in_flight() || connecting[3]->in_flight()) {
        if (auto const one = io.accept_ready(listener)) accepted.push_back(*one);
        co_await rill::sleep(100us);
    }
    CHECK(connecting[1]->value() == 0);
    CHECK(connecting[3]->value() == 0);
    for (int const each : clients) io.close(each);
    for (int const each : accepted) io.close(each);
    io.close(listener);
    io.release_name(at);
    ::rmdir(name.c_str());
}

}  // namespace rill
