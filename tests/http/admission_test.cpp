// The limits on connections and requests, without connections: exact, bounded, by network.
// RFC 4291 section 2.5.5.2 (IPv4-mapped addresses).
#include "http/admission.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

using namespace rill;
using http::address_table;
using http::admission;
using http::limit;
using http::places;

namespace {

address at(std::string_view text) {
    return *address::parse(text);
}

http::server_options with_limits(std::uint32_t connections, std::uint32_t per_address) {
    http::server_options options;
    options.most_connections = connections;
    options.most_connections_per_address = per_address;
    return options;
}

}  // namespace

TEST_CASE("places are taken up to their number and come back") {
    places two(2);
    CHECK(two.take());
    CHECK(two.take());
    CHECK(!two.take());
    CHECK(two.taken() == 2);
    two.give();
    CHECK(two.take());
    places endless(0);
    for (int i = 0; i < 100; ++i) CHECK(endless.take());
    CHECK(endless.taken() == 0);
}

TEST_CASE("threads never take more places than there are, and all come back") {
    constexpr std::uint32_t most = 3;
    places few(most);
    std::atomic<std::uint32_t> inside = 0;
    std::atomic<std::uint32_t> highest = 0;
    std::atomic<std::uint64_t> taken = 0;
    auto const work = [&] {
        for (int i = 0; i < 20'000; ++i) {
            if (!few.take()) continue;
            taken.fetch_add(1);
            std::uint32_t const now = inside.fetch_add(1) + 1;
            std::uint32_t seen = highest.load();
            while (now > seen && !highest.compare_exchange_weak(seen, now)) continue;
            inside.fetch_sub(1);
            few.give();
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back(work);
    for (auto& each : threads) each.join();
    CHECK(highest <= most);
    CHECK(taken > 0);
    CHECK(few.taken() == 0);
}

TEST_CASE("a network of IPv6 is one client, an address of IPv4 another") {
    address_table table(16, 64, 7);
    using verdict = address_table::verdict;
    auto const first = table.enter(at("[2001:db8::1]:1"), 2);
    REQUIRE(first.how == verdict::counted);
    CHECK(table.enter(at("[2001:db8::ffff:2]:2"), 2).entry == first.entry);
    CHECK(table.enter(at("[2001:db8::3]:3"), 2).how == verdict::over);
    CHECK(table.enter(at("[2001:db8:0:1::1]:1"), 2).how == verdict::counted);
    auto const v4 = table.enter(at("192.0.2.1:1"), 2);
    CHECK(table.enter(at("192.0.2.1:2"), 2).entry == v4.entry);
    CHECK(table.enter(at("192.0.2.1:3"), 2).how == verdict::over);
    CHECK(table.enter(at("192.0.2.2:1"), 2).how == verdict::counted);
    CHECK(table.used() == 4);
    table.leave(*first.entry);
    CHECK(table.enter(at("[2001:db8::9]:1"), 2).how == verdict::counted);
}

TEST_CASE("the length of an IPv6 network can be set") {
    using verdict = address_table::verdict;
    address_table hosts(16, 128, 7);
    CHECK(hosts.enter(at("[2001:db8::1]:1"), 1).how == verdict::counted);
    CHECK(hosts.enter(at("[2001:db8::2]:1"), 1).how == verdict::counted);
    CHECK(hosts.enter(at("[2001:db8::2]:2"), 1).how == verdict::over);
    address_table sites(16, 48, 7);
    CHECK(sites.enter(at("[2001:db8:0:1::1]:1"), 1).how == verdict::counted);
    CHECK(sites.enter(at("[2001:db8:0:ffff::1]:1"), 1).how == verdict::over);
    CHECK(sites.enter(at("[2001:db8:1::1]:1"), 1).how == verdict::counted);
    address_table bits(16, 65, 7);
    CHECK(bits.enter(at("[2001:db8::1]:1"), 1).how == verdict::counted);
    CHECK(bits.enter(at("[2001:db8::8000:0:0:1]:1"), 1).how == verdict::counted);
    CHECK(bits.enter(at("[2001:db8::7fff:0:0:1]:1"), 1).how == verdict::over);
}

TEST_CASE("a full table of addresses lets further ones pass uncounted, and has room again") {
    constexpr std::uint32_t size = 100;
    address_table table(size, 64, 7);
    std::vector<http::counted_address*> all;
    auto const client = [](std::uint32_t i) {
        return address::v4({10, 0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)},
                           1);
    };
    for (std::uint32_t i = 0; i < size; ++i) {
        auto const each = table.enter(client(i), 1);
        REQUIRE(each.how == address_table::verdict::counted);
        all.push_back(each.entry);
    }
    CHECK(table.used() == size);
    auto const beyond = table.enter(client(size), 1);
    CHECK(beyond.how == address_table::verdict::uncounted);
    CHECK(beyond.full);
    CHECK(table.enter(client(5), 1).how == address_table::verdict::over);
    table.leave(*all[5]);
    CHECK(table.enter(client(size), 1).how == address_table::verdict::counted);
    CHECK(table.enter(client(5), 1).full);
}

TEST_CASE("who has no address is held to the server's limit alone") {
    admission doors(with_limits(2, 1), 7);
    address const local = *address::unix_path("/some/path");
    auto const first = doors.enter(local);
    CHECK(first.refused_by == limit::none);
    CHECK(first.from == nullptr);
    CHECK(!first.table_full);
    CHECK(doors.enter(local).refused_by == limit::none);
    CHECK(doors.enter(local).refused_by == limit::server);
}

TEST_CASE("a connection that one limit refuses takes nothing of the other") {
    admission doors(with_limits(2, 1), 7);
    auto const first = doors.enter(at("192.0.2.1:1"));
    CHECK(doors.enter(at("192.0.2.1:2")).refused_by == limit::address);
    CHECK(doors.connections() == 1);
    CHECK(doors.enter(at("192.0.2.2:1")).refused_by == limit::none);
    CHECK(doors.enter(at("192.0.2.3:1")).refused_by == limit::server);
    CHECK(doors.addresses() == 2);
    doors.leave(first.from);
    CHECK(doors.addresses() == 1);
    CHECK(doors.connections() == 1);
}

TEST_CASE("a request takes all of its places or none") {
    http::server_options options;
    options.most_requests = 2;
    options.most_requests_per_address = 1;
    admission doors(options, 7);
    http::handler_bounds const route({.most_requests = 2});
    http::counted_address* const one = doors.enter(at("192.0.2.1:1")).from;
    http::counted_address* const two = doors.enter(at("192.0.2.2:1")).from;
    http::counted_address* const three = doors.enter(at("192.0.2.3:1")).from;
    REQUIRE(one != nullptr);
    http::request_places first;
    CHECK(first.take(&doors, one, &route) == limit::none);
    http::request_places again;
    CHECK(again.take(&doors, one, &route) == limit::address);
    CHECK(doors.requests() == 1);
    CHECK(route.requests.taken() == 1);
    {
        http::request_places second;
        CHECK(second.take(&doors, two, nullptr) == limit::none);
        CHECK(again.take(&doors, three, &route) == limit::server);
        CHECK(route.requests.taken() == 1);
        CHECK(three->requests == 0);
    }
    CHECK(again.take(&doors, two, &route) == limit::none);
    http::request_places third;
    CHECK(third.take(nullptr, nullptr, &route) == limit::route);
    first.give();
    first.give();
    again.give();
    CHECK(doors.requests() == 0);
    CHECK(route.requests.taken() == 0);
    CHECK(one->requests == 0);
}

TEST_CASE("connections of many threads leave an empty table") {
    http::server_options options = with_limits(1'000, 1'000);
    options.counted_addresses = 8;
    admission doors(options, 7);
    auto const work = [&doors](std::uint8_t who) {
        for (int i = 0; i < 5'000; ++i) {
            auto const place =
                doors.enter(address::v4({10, 0, 0, static_cast<std::uint8_t>((who + i) % 16)}, 1));
            if (place.refused_by == limit::none) doors.leave(place.from);
        }
    };
    std::vector<std::thread> threads;
    for (std::uint8_t i = 0; i < 4; ++i) threads.emplace_back(work, i);
    for (auto& each : threads) each.join();
    CHECK(doors.connections() == 0);
    CHECK(doors.addresses() == 0);
}
