// Helpers for tests of streams: a connected pair, and reading to the end.
#pragma once

#include <string>

#include "rill/coro/when_all.hpp"
#include "rill/io/tcp.hpp"
#include "support/sim.hpp"

namespace rill::test {

/// Two connected streams.
struct pair {
    tcp::stream client;
    tcp::stream server;
};

inline task<> make_pair(pair& into, tcp::stream_options client = {},
                        tcp::stream_options server = {}) {
    tcp::listener_options options;
    options.stream = server;
    tcp::listener at("127.0.0.1:0", options);
    address const where = at.local_address();
    into.client = co_await tcp::connect(where, client);
    into.server = co_await at.accept();
}

/// All bytes until the end of the stream; throws where it ends otherwise.
inline task<std::string> read_all(byte_stream& from) {
    std::string all;
    for (;;) {
        auto const part = co_await from.receive();
        if (!part) break;
        all += part.view().text();
    }
    co_return all;
}

/// Exactly `size` bytes.
inline task<std::string> read_exactly(byte_stream& from, std::size_t size) {
    std::string all(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        mutable_bytes const room(all.data() + have, size - have);
        auto const count = co_await from.read(room);
        REQUIRE(count != 0);
        have += count;
    }
    co_return all;
}

/// Waits for a cancellation through `watch_end` and says its reason.
class end_watch final : public operation {
public:
    using value_type = cancel_reason;
    explicit end_watch(byte_stream& of) noexcept : of_(of) { catch_cancellation(); }
    cancel_reason await_resume() const noexcept { return reason_; }
    cancel_reason take_result() const noexcept { return reason_; }
    [[nodiscard]] bool failed() const noexcept { return false; }

private:
    bool start() noexcept override {
        of_.watch_end(waiting_chain());
        return true;
    }
    void cancel(cancel_reason reason) noexcept override {
        reason_ = reason;
        of_.watch_end(nullptr);
        complete();
    }

    byte_stream& of_;
    cancel_reason reason_ = cancel_reason::none;
};
inline end_watch watch_until_cancelled(byte_stream& of) noexcept {
    return end_watch(of);
}

}  // namespace rill::test
