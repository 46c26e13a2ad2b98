// A TLS stream as a byte stream: what is written arrives, ends are told from cuts (RFC 8446 section
// 6.1), and waits end as they do everywhere.
#include "rill/tls/stream.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_any.hpp"
#include "tls/sessions.hpp"

using namespace rill;
using test::session;

namespace {

std::string letters(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i != size; ++i) text[i] = static_cast<char>('a' + i * 7 % 26);
    return text;
}

task<> send_all(byte_stream& to, std::string const& what) {
    co_await to.write(bytes(what));
    to.finish();
}

task<> receive_all(byte_stream& from, std::string& into) {
    into = co_await test::read_all(from);
}

/// Sends both ways at once and compares.
task<> exchange_both(byte_stream& one, byte_stream& other, std::size_t size) {
    std::string const there = letters(size);
    std::string const back = letters(size / 2 + 1);
    std::string got_there;
    std::string got_back;
    co_await when_all(send_all(one, there), send_all(other, back), receive_all(other, got_there),
                      receive_all(one, got_back));
    CHECK(got_there == there);
    CHECK(got_back == back);
}

}  // namespace

RILL_IO_TEST_WITH(test::world_options{.short_sends = true},
                  "a megabyte each way arrives, over TCP, and both ends see a clean end") {
    test::pair ends;
    co_await test::make_pair(ends);
    tls::stream client(ends.client, test::client_context(), "a.example");
    tls::stream server(ends.server, test::server_context());
    test::outcomes how;
    co_await test::shake_both(client, server, how);
    co_await exchange_both(client, server, 1'000'000);
}

RILL_IO_TEST("streams of TLS 1.2 carry bytes and their end, too") {
    session two({}, test::client_context({.newest = tls::version::tls_1_2}));
    co_await two.begin();
    std::string const text = letters(200'000);
    std::string got;
    co_await when_all(send_all(two.client_end, text), receive_all(two.server_end, got));
    CHECK(got == text);
}

RILL_IO_TEST("all arrives where it comes byte by byte") {
    session two({.capacity_bytes = 300, .piece_bytes = 1});
    co_await two.begin();
    co_await exchange_both(two.client_end, two.server_end, 5000);
}

RILL_IO_TEST("TLS runs inside TLS") {
    session outer;
    co_await outer.begin();
    tls::stream client(outer.client_end, test::client_context(), "a.example");
    tls::stream server(outer.server_end, test::server_context());
    test::outcomes how;
    co_await test::shake_both(client, server, how);
    CHECK(how.server.has_value());
    co_await exchange_both(client, server, 300'000);
    client.close();
    server.close();
}

RILL_IO_TEST("pieces of one write arrive in their order, whatever their sizes") {
    session two;
    co_await two.begin();
    std::string const big = letters(40'000);
    std::string const small = "head: 1\r\n";
    std::vector<bytes> const pieces{bytes(small), bytes(), bytes(big), bytes(small), bytes(big)};
    std::string got;
    auto send = [](session& on, std::vector<bytes> const& what) -> task<> {
        co_await on.client_end.write(std::span<bytes const>(what));
        on.client_end.finish();
    };
    co_await when_all(send(two, pieces), receive_all(two.server_end, got));
    CHECK(got == small + big + small + big);
}

RILL_IO_TEST("a stream that ends without a close_notify is cut, and not at its end") {
    session two;
    co_await two.begin();
    std::string_view const text = "half of it";
    co_await two.client_end.write(text);
    two.pipe.first().finish();  // below TLS: as anybody on the way could
    CHECK(co_await test::read_exactly(two.server_end, text.size()) == text);
    for (int i = 0; i != 2; ++i) {
        auto const end = co_await as_result(two.server_end.receive());
        CHECK(end.error() == tls::errc::truncated);
    }
    CHECK(two.server_end.failure().find("close_notify") != std::string_view::npos);
}

RILL_IO_TEST("a side that has ended still receives, and takes no further write") {
    session two;
    co_await two.begin();
    two.client_end.finish();
    lease const end = co_await two.server_end.receive();
    CHECK(!end);
    std::string_view const text = "answer";
    auto const late = co_await as_result(two.client_end.write(text));
    CHECK(late.error() == errc::closed);
    co_await two.server_end.write(text);
    CHECK(co_await test::read_exactly(two.client_end, text.size()) == text);
}

RILL_IO_TEST("a graceful close gives up on a peer that does not end its side") {
    session two;
    co_await two.begin();
    co_await tls::close_gracefully(two.client_end, 1024, 20ms);
    auto const closed = co_await as_result(two.client_end.receive());
    CHECK(closed.error() == errc::closed);
    lease const end = co_await two.server_end.receive();
    CHECK(!end);
}

RILL_IO_TEST("a record that was changed on its way ends the stream, and the peer is told") {
    byte_pipe left;
    byte_pipe right;
    tls::stream client(left.first(), test::client_context(), "a.example");
    tls::stream server(right.second(), test::server_context());
    // Carries bytes; once `change` is set, the last of a piece is another one.
    static bool change;
    change = false;
    auto carry = [](byte_stream& from, byte_stream& to) -> task<> {
        for (;;) {
            auto piece = co_await as_result(from.receive());
            if (!piece || !*piece) co_return;
            if (change) piece->writable().data()[piece->size() - 1] ^= std::byte{1};
            static_cast<void>(co_await as_result(to.write(piece->view())));
        }
    };
    auto body = [](tls::stream& one, tls::stream& other) -> task<> {
        test::outcomes how;
        co_await test::shake_both(one, other, how);
        REQUIRE(how.server.has_value());
        change = true;
        std::string_view const text = "hello";
        co_await one.write(text);
        auto const broken = co_await as_result(other.receive());
        CHECK(broken.error() == tls::errc::bad_record);
        change = false;
        auto const refused = co_await as_result(other.write(text));
        CHECK(refused.error() == tls::errc::bad_record);
    };
    co_await when_any(body(client, server), carry(left.second(), right.first()),
                      carry(right.first(), left.second()));
    client.close();
    server.close();
}

RILL_IO_TEST("a wait that is given up leaves the input to the next one") {
    session two;
    co_await two.begin();
    auto const nothing = co_await as_result(two.server_end.receive(core::current().now() + 5ms));
    CHECK(nothing.error() == errc::timed_out);
    std::string_view const text = "abc";
    co_await two.client_end.write(text);
    std::array<std::byte, 1> one;
    CHECK(co_await two.server_end.read(one) == 1);
    CHECK(co_await test::read_exactly(two.server_end, 2) == "bc");
}

RILL_IO_TEST("a write that is stopped part way leaves the stream broken for writing") {
    session two({.capacity_bytes = 1000});
    co_await two.begin();
    std::string const text = letters(100'000);
    auto const first =
        co_await as_result(two.client_end.write(bytes(text), core::current().now() + 5ms));
    CHECK(first.error() == errc::timed_out);
    auto const second = co_await as_result(two.client_end.write(bytes(text)));
    CHECK(second.error() == errc::write_broken);
}

RILL_IO_TEST("sixteen leases are the bound: receiving waits for one to come back") {
    session two({.capacity_bytes = 1024 * 1024});
    co_await two.begin();
    co_await two.client_end.write(bytes(letters(200'000)));
    std::vector<lease> held;
    while (held.size() != tls::stream::most_leases) {
        held.push_back(co_await two.server_end.receive());
    }
    auto const full = co_await as_result(two.server_end.receive(core::current().now() + 5ms));
    CHECK(full.error() == errc::timed_out);
    held.pop_back();
    lease const more = co_await two.server_end.receive();
    CHECK(more.size() > 0);
    held.clear();
}

RILL_IO_TEST("a stream that is dropped while its close_notify is on its way lets go of it") {
    test::pair ends;
    co_await test::make_pair(ends);
    {
        tls::stream client(ends.client, test::client_context(), "a.example");
        tls::stream server(ends.server, test::server_context());
        test::outcomes how;
        co_await test::shake_both(client, server, how);
        client.finish();
    }
    co_await test::settle();
}

TEST_CASE("an exchange that is cancelled at any of its waits leaves nothing behind") {
    for (int turns = 0;; ++turns) {
        bool whole = false;
        test::simulate([&]() -> task<> {
            auto body = [](int most, bool& done) -> task<> {
                session two({.capacity_bytes = 5000, .piece_bytes = 700});
                co_await two.begin();
                auto first = co_await when_any(
                    exchange_both(two.client_end, two.server_end, 20'000), test::settle(most));
                done = first.index == 0;
            };
            return body(turns, whole);
        });
        if (whole) break;
        REQUIRE(turns < 10'000);
    }
}
