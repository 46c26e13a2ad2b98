// Joins the terminal to a socket: TCP, UDP, or local (Unix).
// Run: ./nc 127.0.0.1 7000     sends the input, prints what comes, ends when the peer ends
//      ./nc -l 7000            waits for a connection   (-k: for one after the other)
//      ./nc -u 127.0.0.1 7000  datagrams                (-u -l: answers whoever wrote last)
//      ./nc -U /tmp/socket     a local socket, @name too (with -u: datagrams)
//      ./nc -z 127.0.0.1 20-25 which ports are open
//      -w SECONDS              give up connecting, or end after that much silence
#include <rill/coro.hpp>
#include <rill/io/local.hpp>
#include <rill/io/tcp.hpp>
#include <rill/io/udp.hpp>
#include <rill/rt.hpp>

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using rill::task;

struct job {
    bool listen = false, keep = false, udp = false, local = false, scan = false;
    int wait_seconds = 0;
    std::vector<std::string> words;

    [[nodiscard]] rill::time_point patience() const {
        return wait_seconds == 0 ? rill::never
                                 : rill::deadline_in(std::chrono::seconds(wait_seconds));
    }
};

std::string read_input() {
    std::string text(64 * 1024, '\0');
    auto const count = ::read(STDIN_FILENO, text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
}

/// The terminal is all that this program serves: it may wait for it.
void print(rill::bytes what) {
    std::fwrite(what.data(), 1, what.size(), stdout);
    std::fflush(stdout);
}

/// The pieces of the input, from a task that outlives the connections (-k).
using input = rill::channel<std::string>;

/// Reads the input into `into` until it ends. Then nothing, until it is cancelled.
task<> read_all(input& into) {
    for (;;) {
        std::string text = co_await rill::blocking(read_input);
        if (text.empty()) break;
        co_await into.send(std::move(text));
    }
    into.close();
    rill::event never;
    co_await never.wait();
}

/// Sends the input; `end` is told of its end. Then nothing, until it is cancelled.
template <class Send, class End>
task<> send_input(input& from, Send& send, End& end) {
    for (;;) {
        auto const text = co_await from.receive();
        if (!text) break;
        co_await send(*text);
    }
    end();
    rill::event never;
    co_await never.wait();
}

task<> print_stream(job const& what, rill::tcp::stream& peer) {
    for (;;) {
        auto const got = co_await rill::as_result(peer.receive(what.patience()));
        if (!got && got.error() == rill::errc::timed_out) co_return;
        if (!got) throw rill::error(got.error(), "receive");
        if (got->size() == 0) co_return;
        print(got->view());
    }
}

/// Joins a stream to the terminal until the peer ends. The end of the input ends our side only.
task<> talk(job const& what, input& from, rill::tcp::stream peer) {
    auto send = [&](std::string const& text) -> task<> { co_await peer.write(text); };
    auto end = [&] { peer.finish(); };
    co_await rill::when_any(print_stream(what, peer), send_input(from, send, end));
}

/// Joins a socket of datagrams to the terminal. It has no end: the first silence of -w is one, and
/// without -w the end of the input.
template <class Socket>
task<> talk_datagrams(job const& what, input& from, Socket& socket, rill::address to) {
    rill::event ended;
    auto send = [&](std::string const& text) -> task<> {
        if (to.kind() == rill::address::family::none) co_return;  // nobody has written yet
        auto const sent = co_await rill::as_result(socket.send_to(text, to));
        if (!sent) std::fprintf(stderr, "nc: %s\n", sent.error().message().c_str());
    };
    auto end = [&] {
        if (what.wait_seconds == 0 && !what.listen) ended.set();
    };
    auto receive = [&]() -> task<> {
        for (;;) {
            auto const got = co_await rill::as_result(socket.receive(what.patience()));
            if (!got) co_return;
            if (what.listen) to = got->from();
            print(got->view());
        }
    };
    co_await rill::when_any(receive(), send_input(from, send, end), ended.wait());
}

std::string text_of(job const& what) {
    if (what.local) return "unix:" + what.words.at(0);
    bool const has_host = what.words.size() > 1;
    return (has_host ? what.words[0] : "") + ":" + what.words.back();
}

task<> run_datagrams(job const& what, input& from) {
    auto const to = rill::address::parse(text_of(what));
    if (!to) throw rill::error(to.error(), "send to", text_of(what));
    rill::address const peer = what.listen ? rill::address() : *to;
    if (what.local) {
        // Without a name of its own nobody could answer it.
        auto const own = "unix:@rill-nc-" + std::to_string(::getpid());
        auto socket = rill::local::socket::bind(what.listen ? text_of(what) : own);
        co_await talk_datagrams(what, from, socket, peer);
    } else {
        auto const any = to->kind() == rill::address::family::ipv4 ? "0.0.0.0:0" : "[::]:0";
        auto socket = rill::udp::socket::bind(what.listen ? text_of(what) : any);
        co_await talk_datagrams(what, from, socket, peer);
    }
}

task<> run_listener(job const& what, input& from) {
    rill::tcp::listener listener(text_of(what));
    do {
        rill::tcp::stream peer = co_await listener.accept();
        co_await talk(what, from, std::move(peer));
    } while (what.keep);
}

task<> run_scan(job const& what, int& status) {
    std::string const& range = what.words.back();
    int const first = std::atoi(range.c_str());
    auto const dash = range.find('-');
    int const last = dash == std::string::npos ? first : std::atoi(range.c_str() + dash + 1);
    status = 1;
    for (int port = first; port <= last && port <= 65535; ++port) {
        std::string const at = what.words.at(0) + ":" + std::to_string(port);
        auto connecting = rill::tcp::connect(at);
        auto const longest = std::chrono::seconds(what.wait_seconds == 0 ? 5 : what.wait_seconds);
        auto const made = co_await rill::as_result(rill::timeout(longest, std::move(connecting)));
        if (!made) continue;
        std::printf("%s open\n", at.c_str());
        status = 0;
    }
}

task<> run_client(job const& what, input& from) {
    auto const longest = std::chrono::seconds(what.wait_seconds == 0 ? 3600 : what.wait_seconds);
    std::string const at = text_of(what);
    rill::tcp::stream peer = co_await rill::timeout(longest, rill::tcp::connect(at));
    co_await talk(what, from, std::move(peer));
}

task<> run_job(job const& what, input& from, int& status) {
    if (what.scan) return run_scan(what, status);
    if (what.udp) return run_datagrams(what, from);
    return what.listen ? run_listener(what, from) : run_client(what, from);
}

bool parse(int argc, char** argv, job& into) {
    for (int option = 0; (option = ::getopt(argc, argv, "lkuUzw:")) != -1;) {
        switch (option) {
            case 'l':
                into.listen = true;
                break;
            case 'k':
                into.keep = true;
                break;
            case 'u':
                into.udp = true;
                break;
            case 'U':
                into.local = true;
                break;
            case 'z':
                into.scan = true;
                break;
            case 'w':
                into.wait_seconds = std::atoi(optarg);
                break;
            default:
                return false;
        }
    }
    into.words.assign(argv + optind, argv + argc);
    std::size_t const least = into.local || into.listen ? 1 : 2;
    return into.words.size() >= least && into.words.size() <= 2 && !(into.scan && into.udp);
}

}  // namespace

int main(int argc, char** argv) {
    job what;
    if (!parse(argc, argv, what)) {
        std::fputs(
            "usage: nc [-lkuz] [-w SECONDS] HOST PORT\n"
            "       nc [-lku] [-w SECONDS] -U PATH\n"
            "       nc -l [-ku] [HOST] PORT\n",
            stderr);
        return 2;
    }
    int status = 0;
    try {
        auto until_stopped = [&]() -> task<> {
            input from(1);
            co_await rill::when_any(run_job(what, from, status), read_all(from),
                                    rill::wait_signal(SIGINT, SIGTERM));
        };
        rill::run(until_stopped());
    } catch (std::exception const& failure) {
        std::fprintf(stderr, "nc: %s\n", failure.what());
        return 1;
    }
    return status;
}
