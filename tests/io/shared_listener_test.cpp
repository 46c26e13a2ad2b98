// One acceptor for all cores.
#include "rill/io/shared_listener.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "rill/coro/when_any.hpp"
#include "rill/rt/foreign_event.hpp"
#include "rill/rt/run.hpp"

using namespace rill;

TEST_CASE("connections go to the core that has the fewest open") {
    constexpr std::uint32_t cores = 3;
    constexpr std::size_t clients = 30;
    tcp::shared_listener all("127.0.0.1:0");
    std::array<std::atomic<int>, cores> served{};
    std::atomic<std::uint32_t> entered = 0;
    std::array<std::optional<event_notifier>, cores> ends;
    std::thread server([&] {
        run_options options;
        options.cores = cores;
        run_per_core(
            [&]() -> task<> {
                auto echo = [&](tcp::stream peer) -> task<> {
                    ++served[core::current().index()];
                    while (auto got = co_await peer.receive()) co_await peer.write(*got);
                };
                auto until_over = [&]() -> task<> {
                    foreign_event told;
                    ends[core::current().index()] = told.notifier();
                    ++entered;
                    co_await told.wait();
                };
                co_await when_any(all.serve(echo), until_over());
            },
            options);
    });
    address const at = all.local_address();
    while (entered != cores) std::this_thread::yield();
    auto talk = [&]() -> task<> {
        std::vector<tcp::stream> open;
        for (std::size_t i = 0; i < clients; ++i) {
            tcp::stream made = co_await tcp::connect(at);
            // The answer shows that this one is counted before the next one comes.
            co_await made.write("x");
            auto const answer = co_await made.receive();
            CHECK(answer.size() == 1);
            open.push_back(std::move(made));
        }
    };
    run(talk());
    for (auto& each : ends) CHECK(each->notify());
    server.join();
    for (auto const& each : served) CHECK(each == clients / cores);
}

TEST_CASE("an address that is none, and one that is taken, are refused with the address") {
    CHECK_THROWS_AS(tcp::shared_listener("nonsense"), error);
    auto twice = []() -> task<> {
        tcp::listener first("127.0.0.1:0", {.reuse_port = false});
        tcp::shared_listener second(first.local_address().text(), {.reuse_port = false});
        auto ignore = [](tcp::stream) -> task<> { co_return; };
        std::string text;
        try {
            co_await second.serve(ignore);
        } catch (error const& failure) {
            text = failure.what();
        }
        CHECK(text.find("listen on 127.0.0.1:") == 0);
    };
    run(twice());
}
