// Clients that vanish while servers start and stop: nothing is left over, and no disconnect costs a
// C++ exception. RILL_SOAK_ROUNDS says how often.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <string>

#include "rill/coro/event.hpp"
#include "support/memory_count.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

using namespace rill;
using test::raw_client;
using test::test_server;

namespace {

std::atomic<std::size_t> throws{0};

}  // namespace

// Every throw of this program, also out of the library, comes by here. The name of the C++
// runtime's function is given to the linker alone: the compiler declares its own.
extern "C" [[noreturn]] void counted_throw(void* thrown, void* type,
                                           void (*destroy)(void*)) __asm__("__cxa_throw");
extern "C" void counted_throw(void* thrown, void* type, void (*destroy)(void*)) {
    using function = void (*)(void*, void*, void (*)(void*));
    static auto const next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "__cxa_throw"));
    throws.fetch_add(1, std::memory_order_relaxed);
    next(thrown, type, destroy);
    __builtin_unreachable();
}

namespace {

int rounds() {
    char const* const text = std::getenv("RILL_SOAK_ROUNDS");
    return text == nullptr ? 200 : std::atoi(text);
}

std::size_t open_descriptors() {
    std::size_t count = 0;
    for (auto const& each : std::filesystem::directory_iterator("/proc/self/fd")) {
        static_cast<void>(each);
        ++count;
    }
    return count;
}

struct app {
    web::router routes;

    app() {
        routes.get("/hello", [] { return "hello"; });
        routes.get("/large", [] { return std::string(4 * 1024 * 1024, 'x'); });
        routes.post("/echo", [](http::request& req) { return std::string(req.body().text()); });
        routes.get("/wait", []() -> task<std::string> {
            event never_set;
            co_await never_set.wait();
            co_return std::string("never");
        });
    }
};

constexpr std::string_view requests[] = {
    "GET /hel",
    "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a\r\n\r\nGET /wait HTTP/1.1\r\nHost: a\r\n\r\nGET /hel",
    "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /wait HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    "not HTTP at all\r\n\r\n",
};

// One life of a server: clients of all kinds, some reset before the stop, some during it.
void play_round(int round) {
    app with;
    web::serve_options options;
    options.run.cores = 1;
    test_server running(with.routes, options);
    std::list<raw_client> clients;
    for (std::string_view const request : requests) {
        clients.emplace_back(running.at()).send(request);
    }
    int kind = round;
    for (raw_client& client : clients) {
        if (++kind % 3 == 0) client.reset();
    }
    running.server().shutdown(round % 2 == 0 ? duration(0s) : duration(1ms));
    for (raw_client& client : clients) {
        if (++kind % 3 == 1) client.reset();
    }
    static_cast<void>(running.stop(0s));
}

}  // namespace

TEST_CASE("clients that vanish while servers come and go leave nothing behind") {
    // What is made once and kept (thread stacks, tables of the C library) is there after these.
    for (int i = 0; i < 20; ++i) play_round(i);
    std::size_t const descriptors = open_descriptors();
    std::ptrdiff_t const memory = test::memory_held();
    std::size_t const thrown = throws;
    int const count = rounds();
    for (int i = 0; i < count; ++i) play_round(i);
    CHECK(open_descriptors() == descriptors);
    CHECK(test::memory_held() == memory);
    CHECK(throws == thrown);
}

TEST_CASE("one server takes a storm of resets without a throw and without growing") {
    app with;
    test_server running(with.routes);
    auto const storm = [&](int count) {
        for (int i = 0; i < count; ++i) {
            std::list<raw_client> clients;
            for (std::string_view const request : requests) {
                clients.emplace_back(running.at()).send(request);
            }
            for (raw_client& client : clients) client.reset();
            // The server has seen all of them once it answers who came later.
            raw_client last(running.at());
            CHECK(last.ask(requests[1]).body == "hello");
        }
    };
    storm(20);
    std::size_t const thrown = throws;
    storm(rounds());
    CHECK(throws == thrown);
    CHECK(running.stop(30s).cut == 0);
}
