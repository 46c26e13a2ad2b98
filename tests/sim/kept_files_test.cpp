// Files that a server keeps in memory, in simulated worlds: what becomes of them is seen in time.
#include <doctest/doctest.h>

#include <string>

#include "http_world.hpp"
#include "rill/io/directory.hpp"
#include "rill/web/files.hpp"

using namespace rill;
using sim::http_client;

namespace {

constexpr std::uint64_t seed_count = 2'000;  // RILL_SEEDS sets another
constexpr duration kept_for = 1s;
constexpr duration at_rest = 3s;   // a world begins at a whole second, as times of coarse clocks do
constexpr duration slack = 500ms;  // what the network may add

/// A server of `/www`, and `client(ask)` beside it, where `ask(path)` gives the body of a 200 and
/// the number of any other answer.
template <class Client>
void serve(Client client) {
    web::router routes;
    routes.get("/{path...}", web::files("/www", {.kept_for = kept_for}));
    web::server server(routes, sim::server_address);
    auto const first = [&]() -> task<> {
        http_client peer(co_await tcp::connect(sim::server_address));
        auto const ask = [&peer](std::string path) -> task<std::string> {
            std::string const request = "GET /" + path + " HTTP/1.1\r\nhost: a\r\n\r\n";
            bool const sent = co_await peer.send(request);
            auto got = co_await peer.next();
            test::expect(sent && got, "an answer");
            co_return got->status == 200 ? std::move(got->body) : std::to_string(got->status);
        };
        co_await client(ask);
        server.shutdown(0s);
    };
    auto const both = [&]() -> task<> { co_await when_all(server.run_on_this_core(), first()); };
    run_per_core(both, {.cores = 1});
}

}  // namespace

TEST_CASE("a file at rest is answered from memory until its time is over, whatever becomes of it") {
    enum class fate { written, cut, replaced, removed, folder };
    for (fate const what :
         {fate::written, fate::cut, fate::replaced, fate::removed, fate::folder}) {
        CAPTURE(static_cast<int>(what));
        auto const program = [what] {
            test::add_file("/www/page", "the first");
            serve([what](auto ask) -> task<> {
                file::root const top("/www");
                co_await rill::sleep(at_rest);
                std::string const first = co_await ask("page");
                test::expect(first == "the first", "the file");
                std::string wanted = "404";
                if (what == fate::written) {
                    auto const open =
                        co_await file::open(top, "page", {.access = file::access::write});
                    std::string const same_size = "the other";
                    co_await file::write_all(open, same_size, 0);
                    wanted = same_size;
                } else if (what == fate::cut) {
                    auto const open =
                        co_await file::open(top, "page", {.access = file::access::write});
                    co_await file::truncate(open, 3);
                    wanted = "the";
                } else if (what == fate::replaced) {
                    co_await file::replace(top, "page", "the second");
                    wanted = "the second";
                } else {
                    co_await file::remove(top, "page");
                    if (what == fate::folder) {
                        test::add_file("/www/page/index.html", "a folder");
                        wanted = "301";
                    }
                }
                std::string const kept = co_await ask("page");
                test::expect(kept == "the first", "it was in memory");
                co_await rill::sleep(kept_for);
                std::string const then = co_await ask("page");
                test::expect(then == wanted, "what there is");
            });
        };
        static_cast<void>(test::simulate(1, program));
    }
}

TEST_CASE("a file that was written a moment ago is not kept") {
    auto const program = [] {
        test::add_file("/www/page", "0");
        serve([](auto ask) -> task<> {
            file::root const top("/www");
            for (int i = 1; i < 10; ++i) {
                std::string const next = std::to_string(i);
                auto const open = co_await file::open(top, "page", {.access = file::access::write});
                co_await file::write_all(open, next, 0);
                std::string const got = co_await ask("page");
                test::expect(got == next, "never an old one");
            }
        });
    };
    static_cast<void>(test::seeds(seed_count, program));
}

TEST_CASE("an index is kept as its folder's, and a name that was missing is found at once") {
    auto const program = [] {
        test::add_file("/www/index.html", "the index");
        serve([](auto ask) -> task<> {
            file::root const top("/www");
            co_await rill::sleep(at_rest);
            std::string const index = co_await ask("");
            std::string const missing = co_await ask("later");
            test::expect(index == "the index" && missing == "404", "as it is");
            co_await file::replace(top, "index.html", "another");
            co_await file::replace(top, "later", "here");
            std::string const kept = co_await ask("");
            std::string const found = co_await ask("later");
            test::expect(kept == "the index", "in memory");
            test::expect(found == "here", "nothing is kept of what is not there");
            co_await rill::sleep(kept_for);
            std::string const then = co_await ask("");
            test::expect(then == "another", "in time");
        });
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("no answer is older than a file may be kept, and each is one version, whole") {
    auto const program = [] {
        test::add_file("/www/page", "0");
        serve([](auto ask) -> task<> {
            struct change {
                std::uint64_t number;
                duration at;
            };
            file::root const top("/www");
            std::vector<change> changes{{0, 0s}};
            auto const write = [&]() -> task<> {
                for (std::uint64_t i = 1; i < 10; ++i) {
                    std::chrono::milliseconds const pause(test::choose(1'500));
                    co_await rill::sleep(pause);
                    co_await file::replace(top, "page", std::to_string(i));
                    changes.push_back({i, test::elapsed()});
                }
            };
            auto const read = [&]() -> task<> {
                for (int i = 0; i < 60; ++i) {
                    std::chrono::milliseconds const pause(test::choose(300));
                    co_await rill::sleep(pause);
                    duration const asked = test::elapsed();
                    std::string const got = co_await ask("page");
                    std::uint64_t const number = std::stoull(got);
                    test::expect(std::to_string(number) == got, "whole");
                    // The version after it is younger than what may be kept.
                    for (change const& each : changes) {
                        if (each.number != number + 1) continue;
                        test::expect(each.at + kept_for + slack >= asked, "young enough");
                    }
                }
            };
            co_await when_all(write(), read());
        });
    };
    static_cast<void>(test::seeds(seed_count, program));
}
