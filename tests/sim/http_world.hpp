// A whole HTTP server and its clients in a simulated world: what the seeds are let loose on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "http_client.hpp"
#include "rill/coro/event.hpp"
#include "rill/coro/task_group.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/rt/run.hpp"
#include "rill/rt/run_on.hpp"
#include "rill/rt/sleep.hpp"
#include "rill/web/router.hpp"
#include "rill/web/server.hpp"

namespace rill::sim {

inline constexpr std::string_view server_address = "10.0.0.1:80";

/// What the answer to number `n` is: its number and a filling that depends on it.
inline std::string content_of(std::uint64_t n, std::size_t size) {
    std::string text = std::to_string(n) + ":";
    // Without a division for each of very many letters.
    std::uint64_t letter = (n + text.size()) % 26;
    text.reserve(size);
    while (text.size() < size) {
        text += static_cast<char>('a' + letter);
        letter = letter == 25 ? 0 : letter + 1;
    }
    return text;
}

/// Routes of every kind of answer.
class http_app {
public:
    web::router routes;
    int handlers = 0;  // that wait

    http_app() {
        routes.get("/plain/{n}/{size}", [](http::request& req) { return wanted(req); });
        routes.get("/wait/{n}/{size}/{ms}", [this](http::request& req) -> task<std::string> {
            counted const here(handlers);
            std::chrono::milliseconds const length(req.path<int>("ms"));
            std::string made = wanted(req);
            co_await rill::sleep(length);
            co_return made;
        });
        routes.get("/stream/{n}/{size}", [](http::request& req) {
            auto produce = [whole = wanted(req)](http::body_writer& out) -> task<> {
                std::string_view left = whole;
                while (!left.empty()) {
                    std::size_t const part = 1 + test::choose(left.size());
                    co_await out.write(left.substr(0, part));
                    left.remove_prefix(part);
                    if (test::choose(4) == 0) co_await rill::sleep(1ms);
                }
            };
            return http::stream(produce, http::content_types::text);
        });
        routes.post("/echo/{n}", [](http::request& req) {
            return req.path<std::string>("n") + ":" + std::string(req.body().bytes().text());
        });
    }

private:
    struct counted {
        explicit counted(int& of) noexcept : count(of) { ++count; }
        counted(counted const&) = delete;
        counted& operator=(counted const&) = delete;
        ~counted() { --count; }
        int& count;
    };
    static std::string wanted(http::request& req) {
        return content_of(req.path<std::uint64_t>("n"), req.path<std::size_t>("size"));
    }
};

/// A request and what its answer must be.
struct exchange_plan {
    std::string request;
    std::string body;
};

inline std::size_t some_size() {
    switch (test::choose(8)) {
        case 0:
            return 0;
        case 1:
            return 5'000 + test::choose(100'000);
        default:
            return test::choose(500);
    }
}

/// A request of a kind that the seed chooses, with its number in the answer.
inline exchange_plan some_exchange(std::uint64_t n) {
    constexpr std::string_view rest = " HTTP/1.1\r\nhost: a\r\n\r\n";
    std::string const number = std::to_string(n);
    std::size_t const size = some_size();
    std::string const where = number + "/" + std::to_string(size);
    switch (test::choose(4)) {
        case 0:
            return {"GET /stream/" + where + std::string(rest), content_of(n, size)};
        case 1: {
            std::string const wait = std::to_string(test::choose(200));
            return {"GET /wait/" + where + "/" + wait + std::string(rest), content_of(n, size)};
        }
        case 2: {
            std::string const body = content_of(n, test::choose(3'000));
            if (test::choose(2) == 0) {
                return {"POST /echo/" + number + " HTTP/1.1\r\nhost: a\r\ncontent-length: " +
                            std::to_string(body.size()) + "\r\n\r\n" + body,
                        number + ":" + body};
            }
            std::string chunked;
            for (std::size_t at = 0; at < body.size();) {
                std::size_t const part = 1 + test::choose(body.size() - at);
                char hex[20];
                char* const end = std::to_chars(hex, hex + sizeof hex, part, 16).ptr;
                chunked += std::string(hex, end) + "\r\n" + body.substr(at, part) + "\r\n";
                at += part;
            }
            return {"POST /echo/" + number +
                        " HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n" + chunked +
                        "0\r\n\r\n",
                    number + ":" + body};
        }
        default:
            return {"GET /plain/" + where + std::string(rest), content_of(n, size)};
    }
}

/// What became of the requests of one connection.
struct tally {
    int asked = 0;
    int answered = 0;
    int broken = 0;  // connections that ended with an error
};

/// Sends `count` requests on one connection, some of them together, and checks each answer.
/// `calm`: nothing may go wrong on the way.
inline task<> converse(std::uint64_t first, int count, bool calm, tally& into) {
    auto connected = co_await as_result(tcp::connect(server_address));
    test::expect(connected.has_value() || !calm, "nobody refuses a connection in a calm world");
    if (!connected) {
        ++into.broken;
        co_return;
    }
    http_client client(*std::move(connected));
    for (std::uint64_t n = first; n < first + static_cast<std::uint64_t>(count);) {
        std::vector<exchange_plan> burst;
        std::string text;
        std::uint64_t const together = 1 + test::choose(4);
        for (; burst.size() < together && n < first + static_cast<std::uint64_t>(count); ++n) {
            burst.push_back(some_exchange(n));
            text += burst.back().request;
        }
        into.asked += static_cast<int>(burst.size());
        bool const sent = co_await client.send(text);
        test::expect(sent || !calm, "the server takes requests in a calm world");
        if (!sent) break;
        for (exchange_plan const& each : burst) {
            auto const got = co_await client.next();
            test::expect(client.ended() != ending::cut, "no answer is cut by an end");
            test::expect(got.has_value() || !calm, "each request is answered in a calm world");
            if (!got) break;
            test::expect(got->status == 200, "the status is 200");
            test::expect(got->body == each.body, "the answer is that of its request");
            ++into.answered;
        }
        if (client.ended() != ending::none) break;
        if (test::choose(3) == 0) {
            std::chrono::milliseconds const pause(test::choose(2'000));
            co_await rill::sleep(pause);
        }
    }
    if (client.ended() == ending::broken) ++into.broken;
}

/// The server on all cores, and `clients()` on core 0.
template <class Clients>
void run_beside(web::server& server, Clients const& clients) {
    auto const body = [&]() -> task<> {
        if (core::current().index() == 0) {
            co_await when_all(server.run_on_this_core(), clients());
        } else {
            co_await server.run_on_this_core();
        }
    };
    run_per_core(body);
}

/// A server on all cores, clients on core 0, and a graceful end.
inline void serve_and_ask(bool calm) {
    http_app app;
    web::serve_options options;
    options.listener.backlog = 1 + static_cast<int>(test::choose(8));
    web::server server(app.routes, server_address, options);
    tally sum;
    auto const clients = [&]() -> task<> {
        auto const all = [&](task_group& group) -> task<> {
            int const connections = 1 + static_cast<int>(test::choose(4));
            for (int i = 0; i < connections; ++i) {
                int const count = 1 + static_cast<int>(test::choose(8));
                auto const first = static_cast<std::uint64_t>(i * 1'000);
                group.spawn(converse, first, count, calm, std::ref(sum));
            }
            co_return;
        };
        co_await with_task_group(all);
        server.shutdown();
    };
    run_beside(server, clients);
    if (calm) test::expect(sum.answered == sum.asked, "all were answered");
    test::expect(app.handlers == 0, "no handler is left");
    test::expect(server.take_report().cut == 0, "nothing had to be cut");
}

}  // namespace rill::sim
