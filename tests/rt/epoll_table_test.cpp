// Promises of the table of descriptors of the epoll driver.
#include "rt/epoll_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <climits>
#include <vector>

#include "support/probe.hpp"

namespace rill {

namespace {

using test::probe;

std::vector<request const*> waiters_of(epoll_table& table, int descriptor) {
    std::vector<request const*> found;
    for (std::uint32_t at = table.need(descriptor).first; at != epoll_table::none;
         at = table.next(at)) {
        found.push_back(&table.what(at));
    }
    return found;
}

using list = std::vector<request const*>;

}  // namespace

TEST_CASE("a number has no entry before it is needed, and keeps it when the table grows") {
    epoll_table table;
    CHECK(table.find(5) == nullptr);
    CHECK(table.find(-1) == nullptr);
    CHECK(table.find(INT_MAX) == nullptr);
    probe waits(verb::readable, 5);
    table.link(table.need(5), waits);
    table.need(5).in_set = epoll_table::membership::watched;
    static_cast<void>(table.need(5'000));
    REQUIRE(table.find(5) != nullptr);
    CHECK(table.find(5)->in_set == epoll_table::membership::watched);
    CHECK(waiters_of(table, 5) == list{&waits});
    CHECK(waiters_of(table, 5'000).empty());
}

TEST_CASE("requests wait in the order of their start, and any of them can be taken out") {
    epoll_table table;
    probe first(verb::readable, 3);
    probe second(verb::writable, 3);
    probe third(verb::hangup, 3);
    probe elsewhere(verb::readable, 4);
    for (probe* const each : {&first, &second, &third}) table.link(table.need(3), *each);
    table.link(table.need(4), elsewhere);
    CHECK(waiters_of(table, 3) == list{&first, &second, &third});
    CHECK(table.linked(second));
    table.unlink(second);
    CHECK_FALSE(table.linked(second));
    CHECK(waiters_of(table, 3) == list{&first, &third});
    table.unlink(second);
    table.unlink(first);
    CHECK(waiters_of(table, 3) == list{&third});
    table.link(table.need(3), first);
    CHECK(waiters_of(table, 3) == list{&third, &first});
    table.unlink(third);
    table.unlink(first);
    CHECK(waiters_of(table, 3).empty());
    CHECK(waiters_of(table, 4) == list{&elsewhere});
}

TEST_CASE("a place is used again, so that the table holds no more than have waited at once") {
    epoll_table table;
    probe one(verb::readable, 3);
    probe other(verb::readable, 4);
    std::uint32_t most = 0;
    for (int i = 0; i < 1'000; ++i) {
        table.link(table.need(3), one);
        table.link(table.need(4), other);
        most = std::max({most, table.need(3).first, table.need(4).first});
        table.unlink(i % 2 == 0 ? one : other);
        table.unlink(i % 2 == 0 ? other : one);
    }
    CHECK(most == 1);
}

TEST_CASE("a number that is forgotten is another descriptor, whose waiters are still to be told") {
    epoll_table table;
    probe waits(verb::readable, 7);
    epoll_table::entry& at = table.need(7);
    table.link(at, waits);
    at.in_set = epoll_table::membership::watched;
    at.input = at.tells_room = at.out_of_the_ordinary = true;
    at.of = epoll_table::kind::tcp;
    std::uint32_t const before = at.generation;
    table.forget(at);
    CHECK(at.generation != before);
    CHECK(at.in_set == epoll_table::membership::none);
    CHECK(at.of == epoll_table::kind::unknown);
    CHECK_FALSE((at.input || at.tells_room || at.out_of_the_ordinary));
    CHECK(table.linked(waits));
}

TEST_CASE("what waits on a number without an entry is not found") {
    epoll_table table;
    probe nowhere(verb::readable, 9);
    CHECK_FALSE(table.linked(nowhere));
    table.unlink(nowhere);
    CHECK(table.find(9) == nullptr);
}

}  // namespace rill
