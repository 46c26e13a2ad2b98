// buffer: the bounded byte queue.
#include "rill/base/buffer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>

namespace {

std::string filled(std::size_t count, char with) {
    return std::string(count, with);
}

}  // namespace

TEST_CASE("appended text comes out in order and consumed bytes are gone") {
    rill::buffer b;
    REQUIRE(b.append("GET "));
    REQUIRE(b.append(std::string("/index")));
    REQUIRE(b.append('!'));
    CHECK(b.view().text() == "GET /index!");
    b.consume(4);
    CHECK(b.view().text() == "/index!");
    b.truncate(6);
    CHECK(b.view().text() == "/index");
    b.consume(6);
    CHECK(b.empty());
}

TEST_CASE("numbers are appended as text, also where they end exactly at the bound") {
    rill::buffer b;
    REQUIRE(b.append_decimal(0));
    REQUIRE(b.append(' '));
    REQUIRE(b.append_decimal(UINT64_MAX));
    REQUIRE(b.append(' '));
    REQUIRE(b.append_hex(UINT64_MAX));
    REQUIRE(b.append(' '));
    REQUIRE(b.append_hex(0x1a0));
    CHECK(b.view().text() == "0 18446744073709551615 ffffffffffffffff 1a0");

    rill::buffer tight(4);
    REQUIRE(tight.append_decimal(12));
    REQUIRE(tight.append_hex(0xff));
    CHECK_FALSE(tight.append_decimal(7));
    CHECK(tight.view().text() == "12ff");
}

TEST_CASE("what would pass the bound is refused as a whole") {
    rill::buffer b(10);
    REQUIRE(b.append("12345678"));
    CHECK(b.remaining() == 2);
    CHECK_FALSE(b.append("abc"));
    CHECK(b.prepare(3).empty());
    CHECK(b.view().text() == "12345678");
    REQUIRE(b.append("ab"));
    CHECK_FALSE(b.append('c'));
    b.consume(1);
    REQUIRE(b.append('c'));
    CHECK(b.view().text() == "2345678abc");
    CHECK(rill::buffer(0).append(""));
    CHECK_FALSE(rill::buffer(0).append('x'));
}

TEST_CASE("prepared room never reaches past the bound, however much storage there is") {
    rill::buffer b(1000);
    for (int round = 0; round < 100; ++round) {
        rill::mutable_bytes const room = b.prepare(1);
        REQUIRE(room.size() >= 1);
        REQUIRE(room.size() <= b.remaining());
        b.commit(room.size());
        REQUIRE(b.size() <= 1000);
        b.consume(b.size() / 3 + 1);
    }
}

TEST_CASE("prepared room is counted only as far as it is committed") {
    rill::buffer b(100);
    rill::mutable_bytes const room = b.prepare(16);
    REQUIRE(room.size() >= 16);
    rill::copy_bytes(room, "hello world");
    b.commit(5);
    CHECK(b.view().text() == "hello");
    CHECK(b.prepare(95).size() == 95);
    CHECK(b.prepare(96).empty());
}

TEST_CASE("clear keeps the storage and release gives it back") {
    rill::buffer b;
    REQUIRE(b.append(filled(5000, 'x')));
    std::size_t const capacity = b.capacity();
    std::byte const* const storage = b.view().data();
    b.clear();
    CHECK(b.empty());
    CHECK(b.capacity() == capacity);
    REQUIRE(b.append("again"));
    CHECK(b.view().data() == storage);
    b.shrink();
    CHECK(b.capacity() == capacity);  // not empty: nothing to give back
    b.clear();
    b.shrink(capacity);
    CHECK(b.capacity() == capacity);
    b.shrink(capacity - 1);
    CHECK(b.capacity() == 0);
    REQUIRE(b.append("and again"));
    b.release();
    CHECK(b.empty());
    CHECK(b.capacity() == 0);
}

TEST_CASE("a moved-from buffer is empty, usable and keeps its bound") {
    rill::buffer a(8);
    REQUIRE(a.append("1234"));
    rill::buffer b(std::move(a));
    CHECK(a.empty());
    CHECK(a.capacity() == 0);
    CHECK_FALSE(a.append("123456789"));
    CHECK(a.append("12345678"));
    CHECK(b.view().text() == "1234");
    CHECK_FALSE(b.append("56789"));
    b = std::move(a);
    CHECK(b.view().text() == "12345678");
    CHECK(a.empty());
}

TEST_CASE("growth is geometric, and a full queue that moves on byte by byte does not grow") {
    rill::buffer b(64 * 1024);
    int grown = 0;
    for (std::size_t count = 0; count < b.maximum(); ++count) {
        std::size_t const before = b.capacity();
        REQUIRE(b.append('x'));
        grown += b.capacity() != before;
    }
    CHECK(grown <= 10);
    // Each move of the queue to the front must be paid for by a quarter of it consumed.
    int moves = 0;
    for (int round = 0; round < 200'000; ++round) {
        std::byte const* const before = b.view().data();
        b.consume(1);
        REQUIRE(b.append('y'));
        moves += b.view().data() < before;
    }
    CHECK(moves <= 200'000 / (16 * 1024) + 2);
    CHECK(b.capacity() <= b.maximum() + b.maximum() / 4);
}

TEST_CASE("random appends and consumes agree with a string") {
    std::mt19937 random(7);
    for (std::size_t const maximum : {3U, 100U, 1000U, 5000U}) {
        rill::buffer b(maximum);
        std::string model;
        for (int round = 0; round < 5000; ++round) {
            std::string const piece =
                filled(random() % (maximum / 2 + 2), static_cast<char>('a' + random() % 26));
            bool const fits = model.size() + piece.size() <= maximum;
            REQUIRE(b.append(piece) == fits);
            if (fits) model += piece;
            std::size_t const gone = random() % (model.size() + 1);
            if (random() % 2 == 0) {
                b.consume(gone);
                model.erase(0, gone);
            }
            REQUIRE(b.view().text() == model);
        }
    }
}

TEST_CASE("a bound that was changed holds for what is appended next") {
    rill::buffer queue(4);
    CHECK(queue.append("abcd"));
    CHECK_FALSE(queue.append('e'));
    queue.set_maximum(1000);
    CHECK(queue.append(std::string(996, 'x')));
    CHECK_FALSE(queue.append('e'));
    queue.clear();
    queue.set_maximum(2);
    CHECK(queue.capacity() >= 1000);
    CHECK(queue.append("ab"));
    CHECK_FALSE(queue.append('c'));
    queue.set_maximum(3);
    CHECK(queue.append('c'));
    CHECK(queue.view().text() == "abc");
}
