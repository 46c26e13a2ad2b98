// The verbs of datagrams, as drivers see them: one layout in the buffer, whatever the kernel says.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "rt/datagram_layout.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

/// Keeps what a stream of datagrams brings.
class receiver final : private request {
public:
    explicit receiver(core& home, int descriptor, bool large = false)
        : request(verb::receive_datagrams),
          home_(home),
          buffers_(large ? *home.io().large_buffers() : home.buffers()) {
        set_descriptor(descriptor);
        if (large) set_large_buffers();
        home.io().start(*this);
    }
    struct arrival {
        std::string text;
        address from;
        datagram::view told;
    };
    std::vector<arrival> arrivals;
    std::vector<int> failures;

    task<> stop() {
        home_.io().cancel(*this);
        while (in_flight()) co_await test::next_turn();
    }

private:
    void completed(int value, std::uint32_t buffer, bool) noexcept override {
        if (value < 0) {
            failures.push_back(-value);
        } else {
            auto const used = static_cast<std::uint32_t>(value);
            std::uint32_t const index = buffers_.filled(buffer, used);
            mutable_bytes const whole{buffers_.block(index), buffers_.bytes_each()};
            auto const told = datagram::parse(whole, used);
            arrivals.push_back({std::string(bytes(told.payload).text()),
                                datagram::sender(bytes(whole.data(), used)), told});
            buffers_.give_back(index);
        }
    }
    core& home_;
    receive_buffers& buffers_;
};

/// Sends one message and keeps the result.
class sender final : private request {
public:
    sender(core& home, int descriptor, bytes what, message_extras extras = {})
        : request(verb::send_message), piece_(what), extras_(extras) {
        set_descriptor(descriptor);
        set_pieces(&piece_, 1);
        set_extras(&extras_);
        home.io().start(*this);
    }
    using request::in_flight;
    int value = 0;

private:
    void completed(int got, std::uint32_t, bool) noexcept override { value = got; }
    bytes piece_;
    message_extras extras_;
};

task<int> send(core& home, int descriptor, bytes what, message_extras extras = {}) {
    sender sending(home, descriptor, what, extras);
    while (sending.in_flight()) co_await test::next_turn();
    co_return sending.value;
}

int open(core& home, datagram_settings const& with = {}) {
    address const at = *address::parse("127.0.0.1:0");
    return *home.io().open_datagrams(at.kind(), &at, with);
}

task<> until(std::vector<receiver::arrival> const& have, std::size_t count) {
    while (have.size() < count) co_await test::next_turn();
}

}  // namespace

RILL_KERNEL_TEST("datagrams arrive with their sender, empty and cut ones too") {
    core& home = core::current();
    int const server = open(home);
    int const client = open(home);
    address const to = home.io().local(server);
    receiver receiving(home, server);
    for (std::string const& text : {std::string("one"), std::string(), std::string(4000, 'x')}) {
        int const sent = co_await send(home, client, text, {.target = &to});
        CHECK(sent == static_cast<int>(text.size()));
    }
    // An empty datagram ends the stream of results; it is armed again above the seam.
    co_await until(receiving.arrivals, 2);
    co_await receiving.stop();
    receiver again(home, server);
    co_await until(again.arrivals, 1);
    CHECK(receiving.arrivals[0].text == "one");
    CHECK(receiving.arrivals[0].from == home.io().local(client));
    CHECK(receiving.arrivals[1].text.empty());
    CHECK(again.arrivals[0].text == std::string(4096 - datagram::payload_begin, 'x'));
    CHECK(again.arrivals[0].told.truncated);
    co_await again.stop();
    home.io().close(server);
    home.io().close(client);
    co_await test::settle();
}

RILL_KERNEL_TEST("large buffers take the largest datagram, and what comes merged") {
    core& home = core::current();
    int const server = open(home, {.merge = true, .tell_local = true});
    int const client = open(home);
    address const to = home.io().local(server);
    receiver receiving(home, server, true);
    std::string const largest(65507, 'l');
    int sent = co_await send(home, client, largest, {.target = &to});
    CHECK(sent == 65507);
    sent = co_await send(home, client, std::string(65508, 'l'), {.target = &to});
    CHECK(sent == -EMSGSIZE);
    std::string const four(4 * 1000, 's');
    sent = co_await send(home, client, four, {.target = &to, .segment_bytes = 1000});
    CHECK(sent == 4000);
    co_await until(receiving.arrivals, 2);
    CHECK(receiving.arrivals[0].text == largest);
    CHECK_FALSE(receiving.arrivals[0].told.truncated);
    CHECK(receiving.arrivals[1].text == four);
    CHECK(receiving.arrivals[1].told.segment_bytes == 1000);
    co_await receiving.stop();
    CHECK(home.io().large_buffers()->held() == 0);
    home.io().close(server);
    home.io().close(client);
    co_await test::settle();
}

RILL_KERNEL_TEST("what ICMP says of a datagram names its target") {
    core& home = core::current();
    int const gone = open(home);
    int const client = open(home);
    address const to = home.io().local(gone);
    home.io().close(gone);
    co_await test::settle();
    int const sent = co_await send(home, client, "anybody?", {.target = &to});
    CHECK(sent == 8);
    auto const told = home.io().next_failure(client);
    REQUIRE(told);
    CHECK(told->to == to);
    CHECK(told->code == ECONNREFUSED);
    CHECK_FALSE(home.io().next_failure(client));
    home.io().close(client);
    co_await test::settle();
}

RILL_KERNEL_TEST("descriptors travel over a pair of local sockets, and the kernel knows the peer") {
    core& home = core::current();
    auto const pair = home.io().open_pair(socket_kind::stream);
    REQUIRE(pair);
    auto const who = home.io().identity((*pair)[0]);
    REQUIRE(who);
    CHECK(who->process == ::getpid());
    CHECK(who->user == ::getuid());
    receiver receiving(home, (*pair)[1]);
    std::array<int, 2> const passed{(*pair)[0], (*pair)[1]};
    int const sent = co_await send(home, (*pair)[0], "two", {.descriptors = passed});
    CHECK(sent == 3);
    co_await until(receiving.arrivals, 1);
    CHECK(receiving.arrivals[0].text == "two");
    datagram::view const& told = receiving.arrivals[0].told;
    REQUIRE(told.descriptor_count == 2);
    for (std::uint32_t i = 0; i < told.descriptor_count; ++i) {
        home.io().close(told.descriptors[i]);
    }
    co_await receiving.stop();
    home.io().close((*pair)[0]);
    home.io().close((*pair)[1]);
    co_await test::settle();
}

TEST_CASE("a layout is read within its bounds, whatever it says") {
    std::array<std::byte, 1024> memory{};
    std::size_t const used = datagram::put(memory, *address::parse("[::1]:7"), "payload");
    CHECK(bytes(datagram::parse(memory, used).payload).text() == "payload");
    CHECK(datagram::sender(bytes(memory.data(), used)) == *address::parse("[::1]:7"));
    std::string const long_text(2000, 'l');
    CHECK(datagram::put(memory, *address::parse("unix:@name"), long_text) == memory.size());
    CHECK(datagram::parse(memory, memory.size()).truncated);
    CHECK(datagram::sender(bytes(memory)) == *address::parse("unix:@name"));
    CHECK(datagram::parse(memory, 3).payload.empty());
    // Every byte of the header and the control data in turn is made large.
    for (std::size_t i = 0; i < datagram::payload_begin; ++i) {
        std::array<int, 3> const three{3, 4, 5};
        static_cast<void>(datagram::put(memory, {}, "payload", three));
        memory[i] = std::byte{0xff};
        auto const found = datagram::parse(memory, used);
        CHECK(found.payload.size() <= used);
        CHECK(found.descriptor_count <= 16);
        static_cast<void>(datagram::receiver(bytes(memory)));
        static_cast<void>(datagram::sender(bytes(memory)));
    }
}

}  // namespace rill
