// Local sockets: names and their files, datagrams in order, descriptors that travel. unix(7).
#include "rill/io/local.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rt/path_calls.hpp"
#include "rt/pipe_calls.hpp"
#include "support/datagrams.hpp"
#include "support/death.hpp"
#include "support/streams.hpp"

namespace rill {

namespace {

using test::next_text;
using test::settle;

/// A folder for socket files; in a simulation their names are no files.
class folder {
public:
    folder() {
        if (test::simulated()) return;
        path_ = (std::filesystem::temp_directory_path() / "rill-local-XXXXXX").string();
        REQUIRE(::mkdtemp(path_.data()) != nullptr);
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        if (!test::simulated()) std::filesystem::remove_all(path_);
    }
    [[nodiscard]] std::string path(std::string_view name) const {
        return path_ + "/" + std::string(name);
    }
    [[nodiscard]] std::string at(std::string_view name) const { return "unix:" + path(name); }

private:
    std::string path_;
};

/// An abstract name that no other run of this test has.
std::string abstract_name(std::string_view suffix) {
    return "unix:@rill-test-" + std::to_string(::getpid()) + "-" + std::string(suffix);
}

bool exists(std::string const& path) {
    struct stat file{};
    return ::lstat(path.c_str(), &file) == 0;
}

/// A socket file that a process left behind.
void leave_behind(std::string const& path, int type) {
    int const descriptor = ::socket(AF_UNIX, type, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.data(), path.size());
    REQUIRE(::bind(descriptor, reinterpret_cast<sockaddr const*>(&name), sizeof name) == 0);
    ::close(descriptor);
    REQUIRE(exists(path));
}

/// The two ends of a pipe.
struct raw_pipe {
    file::handle read;
    file::handle write;
    raw_pipe() {
        auto const made = pipe_calls::open_pipe();
        REQUIRE(made);
        read = file::handle(made->reader);
        write = file::handle(made->writer);
    }
};

file::handle copy_of(file::handle const& what) {
    auto made = path_calls::owned::copy_of(what.descriptor());
    REQUIRE(made);
    return file::handle(made->release());
}

/// This process, as its peers see it.
local::credentials ourselves() {
    if (test::simulated()) return {.process = 1000, .user = 1000, .group = 1000};
    return {.process = ::getpid(), .user = ::getuid(), .group = ::getgid()};
}

/// One round trip of a word through an echo at `at`.
task<> echo_once(std::string at) {
    tcp::listener listening(at);
    address const where = listening.local_address();
    CHECK(where.text() == at);
    auto client = co_await tcp::connect(at);
    auto server = co_await listening.accept();
    co_await client.write("word");
    std::string const there = co_await test::read_exactly(server, 4);
    CHECK(there == "word");
    co_await server.write(there);
    server.finish();
    std::string const back = co_await test::read_all(client);
    CHECK(back == "word");
    CHECK(client.remote_address() == where);
    auto const who = local::peer_of(server);
    REQUIRE(who);
    CHECK(who->process == ourselves().process);
    CHECK(who->user == ourselves().user);
    CHECK(who->group == ourselves().group);
}

}  // namespace

RILL_IO_TEST("a stream over a path or an abstract name is a stream, and says who the peer is") {
    folder in;
    co_await echo_once(in.at("socket"));
    co_await settle();
    CHECK_FALSE(exists(in.path("socket")));
    std::string const name = abstract_name("stream");
    co_await echo_once(name);
    co_await settle();
    co_await echo_once(name);
    test::pair ends;
    co_await test::make_pair(ends);
    CHECK_FALSE(local::peer_of(ends.server));
}

RILL_DATAGRAM_TEST(
    "a file that was left behind is replaced; one that is in use or is none of ours stays") {
    folder in;
    leave_behind(in.path("stale"), SOCK_STREAM);
    co_await echo_once(in.at("stale"));
    leave_behind(in.path("stale-datagrams"), SOCK_DGRAM);
    auto const replaced = local::socket::bind(in.at("stale-datagrams"));
    CHECK(replaced.local_address().text() == in.at("stale-datagrams"));
    CHECK_THROWS_AS(tcp::listener(in.at("stale-datagrams")), error);
    CHECK_THROWS_AS(static_cast<void>(local::socket::bind(in.at("stale-datagrams"))), error);

    tcp::listener_options alone;
    alone.reuse_port = false;
    tcp::listener first(in.at("alive"), alone);
    CHECK_THROWS_AS(tcp::listener(in.at("alive"), alone), error);
    CHECK(exists(in.path("alive")));

    int const plain = ::open(in.path("plain").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ::close(plain);
    CHECK_THROWS_AS(tcp::listener(in.at("plain")), error);
    CHECK(exists(in.path("plain")));
    CHECK_THROWS_AS(tcp::listener(in.at("no/such/folder")), error);
    auto const nobody = co_await as_result(tcp::connect(in.at("nobody")));
    REQUIRE_FALSE(nobody);
    CHECK(nobody.error() == system_error(ENOENT));
}

RILL_DATAGRAM_TEST("listeners of one process share a path, and the last one removes its file") {
    folder in;
    std::string const at = in.at("shared");
    {
        tcp::listener first(at);
        {
            tcp::listener second(at);
            tcp::listener_options only;
            only.must_be_first = true;
            CHECK_THROWS_AS(tcp::listener(at, only), error);
            int count = 0;
            auto accepting = [&](tcp::listener& from) -> task<> {
                for (;;) {
                    auto const accepted = co_await from.accept();
                    if (accepted) ++count;
                }
            };
            auto connecting = [&]() -> task<> {
                for (int i = 0; i < 20; ++i) {
                    auto const client = co_await tcp::connect(at);
                    CHECK(client);
                }
                while (count < 20) co_await test::next_turn();
            };
            co_await when_any(accepting(first), accepting(second), connecting());
            CHECK(count == 20);
        }
        co_await settle(5);
        CHECK(exists(in.path("shared")));
        auto const client = co_await tcp::connect(at);
        auto const server = co_await first.accept();
        CHECK(server);
    }
    co_await settle(5);
    CHECK_FALSE(exists(in.path("shared")));
    {
        tcp::listener mine(at);
        ::unlink(in.path("shared").c_str());
        leave_behind(in.path("shared"), SOCK_STREAM);
    }
    co_await settle(5);
    CHECK(exists(in.path("shared")));  // another's
}

RILL_DATAGRAM_TEST("a socket file has the permissions that were asked for, beyond umask too") {
    folder in;
    ::mode_t const before = ::umask(0077);
    std::array<int, 2> const modes{0600, 0666};
    for (int const mode : modes) {
        tcp::listener_options with;
        with.mode = mode;
        tcp::listener const stream(in.at("stream"), with);
        auto const datagrams = local::socket::bind(in.at("datagrams"), {.mode = mode});
        std::array<char const*, 2> const names{"stream", "datagrams"};
        for (char const* name : names) {
            struct stat file{};
            CHECK(::lstat(in.path(name).c_str(), &file) == 0);
            CHECK((file.st_mode & 0777) == static_cast<::mode_t>(mode));
        }
        co_await settle();
    }
    co_await settle();
    ::umask(before);
}

RILL_IO_TEST("a stream whose peer has gone is an error and no signal (C098)") {
    std::string const name = abstract_name("gone");
    tcp::listener listening(name);
    auto client = co_await tcp::connect(name);
    {
        auto const server = co_await listening.accept();
        CHECK(server);
    }
    std::string const text(300'000, 'x');
    std::error_code told;
    for (int i = 0; i < 10 && !told; ++i) {
        auto const wrote = co_await as_result(client.write(text));
        if (!wrote) told = wrote.error();
    }
    CHECK((told == system_error(EPIPE) || told == system_error(ECONNRESET)));
}

RILL_IO_TEST("a slow reader of a local stream makes the writer wait, and loses nothing (C099)") {
    std::string const name = abstract_name("slow");
    tcp::listener listening(name);
    auto client = co_await tcp::connect(name);
    auto server = co_await listening.accept();
    std::string const text(3'000'000, 's');
    auto writing = [&]() -> task<> {
        co_await client.write(text);
        client.finish();
    };
    auto reading = [&]() -> task<std::size_t> {
        std::size_t count = 0;
        for (;;) {
            auto const part = co_await server.receive();
            if (!part) break;
            count += part.size();
            co_await settle(1);
        }
        co_return count;
    };
    auto const both = co_await when_all(writing(), reading());
    CHECK(std::get<1>(both) == text.size());
}

RILL_IO_TEST("connects and closes that race leave nothing behind (C103)") {
    std::string const name = abstract_name("race");
    tcp::listener listening(name);
    auto client = [&](int turns) -> task<> {
        auto const to = co_await tcp::connect(name);
        co_await settle(turns);
    };
    auto handler = [](tcp::stream peer) -> task<> {
        auto const none = co_await as_result(peer.receive());
        (void)none;
    };
    auto clients = [&]() -> task<> {
        for (int i = 0; i < 50; ++i) {
            co_await when_all(client(i % 3), client(0), client(i % 5));
        }
    };
    co_await when_any(listening.serve(handler), clients());
}

RILL_IO_TEST("datagrams of local sockets arrive whole and in order, and can be answered") {
    folder in;
    auto server = local::socket::bind(in.at("server"), {.most_unread = 4});
    auto client = local::socket::bind(abstract_name("client"));
    address const to = server.local_address();
    auto sending = [&]() -> task<> {
        for (int i = 0; i < 200; ++i) {
            std::string const text = std::to_string(i);
            co_await client.send_to(text, to);
        }
    };
    auto receiving = [&]() -> task<> {
        for (int i = 0; i < 200; ++i) {
            auto const got = co_await server.receive();
            CHECK(got.view().text() == std::to_string(i));
            CHECK(got.from() == client.local_address());
            if (i % 50 == 0) co_await settle(5);
        }
    };
    co_await when_all(sending(), receiving());
    address const back = client.local_address();
    co_await server.send_to("answer", back);
    std::string const answer = co_await next_text(client);
    CHECK(answer == "answer");
    auto nameless = local::socket::connect(in.at("server"));
    co_await nameless.send("");
    auto const empty = co_await server.receive();
    CHECK(empty);
    CHECK(empty.size() == 0);
    CHECK(empty.from() == address());
    CHECK_THROWS_AS(static_cast<void>(local::socket::connect(in.at("nobody"))), error);
    CHECK_THROWS_AS(static_cast<void>(local::socket::bind("127.0.0.1:0")), error);
}

RILL_IO_TEST("a full receiver makes the sender wait, until its deadline") {
    auto ends = local::make_pair({.most_unread = 2});
    std::error_code told;
    int sent = 0;
    while (!told && sent < 10'000) {
        auto const done = co_await as_result(ends.first.send("fill", deadline_in(20ms)));
        if (!done) told = done.error();
        ++sent;
    }
    CHECK(told == errc::timed_out);
    for (int i = 0; i < sent - 1; ++i) {
        auto const got = co_await ends.second.receive();
        CHECK(got.view() == bytes("fill"));
    }
    co_await ends.first.send("goes on");
    std::string const last = co_await next_text(ends.second);
    CHECK(last == "goes on");
}

RILL_IO_TEST("a receiver that has gone is told to the send") {
    folder in;
    auto client = local::socket::bind(abstract_name("lonely"));
    address to;
    {
        auto const server = local::socket::bind(in.at("server"));
        to = server.local_address();
    }
    co_await settle();
    auto const told = co_await as_result(client.send_to("anybody?", to));
    REQUIRE_FALSE(told);
    auto server = local::socket::bind(in.at("server"));
    co_await client.send_to("here", to);
    std::string const here = co_await next_text(server);
    CHECK(here == "here");
}

RILL_IO_TEST("descriptors travel over streams and datagrams, and belong to who takes them") {
    for (int i = 0; i < 2; ++i) {
        auto ends = i == 0 ? local::make_pair() : local::make_stream_pair();
        CHECK(ends.first.peer()->process == ourselves().process);
        std::array<raw_pipe, 2> pipes;
        {
            std::array<file::handle, 2> passed;
            passed[0] = std::move(pipes[0].write);
            passed[1] = std::move(pipes[1].write);
            co_await ends.first.send("two", passed);
        }
        co_await ends.first.send("none");
        auto got = co_await ends.second.receive();
        CHECK(got.view() == bytes("two"));
        CHECK(got.descriptor_count() == 2);
        CHECK_FALSE(got.descriptors_lost());
        auto const taken = got.take_descriptors();
        CHECK(got.descriptor_count() == 0);
        REQUIRE(taken.size() == 2);
        for (std::size_t k = 0; k < 2; ++k) {
            CHECK(pipe_calls::write_some(taken[k].descriptor(), "x", true));
            std::array<char, 1> byte{};
            auto const count = pipe_calls::read_some(pipes[k].read.descriptor(), byte);
            CHECK((count && *count == 1));
            if (test::simulated()) continue;
            CHECK((::fcntl(taken[k].descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
        }
        auto const plain = co_await ends.second.receive();
        CHECK(plain.view() == bytes("none"));
        CHECK(plain.descriptor_count() == 0);
    }
}

RILL_IO_TEST("descriptors that nobody takes are closed: dropped, unread, cancelled, put back") {
    // The end of the test checks that no descriptor is left open.
    for (int i = 0; i < 12; ++i) {
        auto ends = i % 2 == 0 ? local::make_pair() : local::make_stream_pair();
        raw_pipe pipe;
        std::array<file::handle, 16> many;
        for (auto& each : many) each = copy_of(pipe.read);
        for (int k = 0; k < 5; ++k) co_await ends.first.send("sixteen", many);
        auto receiving = [&]() -> task<> {
            auto const dropped = co_await ends.second.receive();
            CHECK(dropped.descriptor_count() == 16);
        };
        co_await when_any(receiving(), settle(i / 2));
        std::array<local::message, 2> some;
        auto batch = [&]() -> task<> {
            std::size_t const count = co_await ends.second.receive(some);
            CHECK(count >= 1);
        };
        co_await when_any(batch(), settle(i % 5));
    }
    co_await settle(5);
}

RILL_IO_TEST("a stream that was connected can pass descriptors, and ends") {
    std::string const name = abstract_name("over");
    tcp::listener listening(name);
    auto connected = co_await tcp::connect(name);
    auto accepted = co_await listening.accept();
    auto client = local::socket::over(std::move(connected));
    auto server = local::socket::over(std::move(accepted));
    raw_pipe pipe;
    std::string const long_text(500'000, 'l');
    auto sending = [&]() -> task<> {
        std::array<file::handle, 1> const one{std::move(pipe.write)};
        co_await client.send(long_text, one);
        client.finish();
    };
    auto receiving = [&]() -> task<> {
        std::size_t count = 0;
        std::size_t descriptors = 0;
        for (;;) {
            auto const part = co_await server.receive();
            if (!part) break;
            count += part.size();
            descriptors += part.descriptor_count();
        }
        CHECK(count == long_text.size());
        CHECK(descriptors == 1);
        auto const again = co_await server.receive();
        CHECK_FALSE(again);
        co_await server.send("other way");
    };
    co_await when_all(sending(), receiving());
    std::string const other = co_await next_text(client);
    CHECK(other == "other way");
}

RILL_IO_TEST("a stream send that was stopped part way takes no further one") {
    auto ends = local::make_stream_pair();
    std::string const text(4'000'000, 't');
    auto const cut = co_await as_result(ends.first.send(text, deadline_in(10ms)));
    REQUIRE_FALSE(cut);
    CHECK(cut.error() == errc::timed_out);
    auto const refused = co_await as_result(ends.first.send("more"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == errc::write_broken);
}

RILL_IO_TEST("sends of a local stream go out in line, and closing ends those that wait") {
    auto ends = local::make_stream_pair();
    std::string const text(1'000'000, 't');
    auto sending = [&](std::size_t& failed) -> task<> {
        auto const done = co_await as_result(ends.first.send(text));
        if (!done && done.error() == errc::closed) ++failed;
    };
    std::size_t failed = 0;
    auto closing = [&]() -> task<> {
        co_await settle();
        ends.first.close();
    };
    co_await when_all(sending(failed), sending(failed), sending(failed), closing());
    CHECK(failed == 3);
    auto again = local::make_stream_pair();
    auto reading = [&]() -> task<std::string> {
        std::string all;
        while (all.size() < 6) {
            auto const part = co_await again.second.receive();
            all += part.view().text();
        }
        co_return all;
    };
    auto const all = co_await when_all(again.first.send("ab"), again.first.send("cd"),
                                       again.first.send("ef"), reading());
    CHECK(std::get<3>(all) == "abcdef");
}

TEST_CASE("more than sixteen descriptors in one message is a bug, and told so") {
    std::string const told = test::assertion_of([] {
        test::run_in(test::world::epoll, []() -> task<> {
            auto ends = local::make_pair();
            std::array<file::handle, 17> const many;
            co_await ends.first.send("x", many);
        });
    });
    CHECK(told.find("at most 16 descriptors") != std::string::npos);
}

}  // namespace rill
