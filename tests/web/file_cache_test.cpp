// Small files in memory: each file once, whatever leads to it, and no more than the bounds.
#include "web/file_cache.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>

using namespace rill;
using web::file_cache;
using web::file_content;

namespace {

constexpr http::literal type{"text/plain"};
constexpr time_point start{};

std::shared_ptr<file_content const> file_of(std::uint64_t inode, std::size_t size,
                                            std::int64_t modified = 1) {
    file_content made;
    made.about = {.regular = true, .size = size, .modified = modified, .device = 1, .inode = inode};
    made.text = std::string(size, 'x');
    return std::make_shared<file_content const>(std::move(made));
}

}  // namespace

TEST_CASE("a name is trusted for its time and not a moment longer") {
    file_cache cache({.bytes = 100, .file_bytes = 10, .names = 4, .trusted_for = 1s});
    auto const content = file_of(1, 5);
    cache.keep({"a"}, content, type, start);
    CHECK(cache.find({"a"}, start).content == content);
    CHECK(cache.find({"a"}, start + 1s - 1ns).content == content);
    CHECK(cache.find({"a"}, start + 1s).content == nullptr);
    CHECK(cache.find({"a", true}, start).content == nullptr);
    CHECK(cache.find({"b"}, start).content == nullptr);
    // Looked at again it is the same file, without a read.
    CHECK(cache.find(content->about) == content);
    cache.keep({"a"}, content, type, start + 1s);
    CHECK(cache.find({"a"}, start + 2s - 1ns).content == content);
    CHECK(cache.bytes() == 5);
}

TEST_CASE("many names of one file are one content (C046)") {
    file_cache cache({.bytes = 100, .file_bytes = 10, .names = 1000, .trusted_for = 1s});
    auto const content = file_of(1, 5);
    for (int i = 0; i < 1000; ++i) {
        std::string const name = "link" + std::to_string(i);
        cache.keep({name}, content, type, start);
    }
    CHECK(cache.names() == 1000);
    CHECK(cache.contents() == 1);
    CHECK(cache.bytes() == 5);
    // A new state of it is the only one that is kept.
    auto const changed = file_of(1, 7, 2);
    CHECK(cache.find(changed->about) == nullptr);
    cache.keep({"link0"}, changed, type, start);
    CHECK(cache.bytes() == 7);
    CHECK(cache.find({"link1"}, start).content == changed);
    for (int i = 0; i < 1000; ++i) {
        std::string const name = "link" + std::to_string(i);
        cache.forget({name});
    }
    CHECK(cache.names() == 0);
    CHECK(cache.contents() == 0);
    CHECK(cache.bytes() == 0);
}

TEST_CASE("at each bound the name that was not asked for longest goes") {
    file_cache by_names({.bytes = 1000, .file_bytes = 10, .names = 3, .trusted_for = 1s});
    file_cache by_bytes({.bytes = 30, .file_bytes = 10, .names = 1000, .trusted_for = 1s});
    for (file_cache* const cache : {&by_names, &by_bytes}) {
        cache->keep({"a"}, file_of(1, 10), type, start);
        cache->keep({"b"}, file_of(2, 10), type, start);
        cache->keep({"c"}, file_of(3, 10), type, start);
        CHECK(cache->names() == 3);  // at the bound all are there
        CHECK(cache->find({"a"}, start).content != nullptr);
        cache->keep({"d"}, file_of(4, 1), type, start);
        CHECK(cache->find({"b"}, start).content == nullptr);
        CHECK(cache->find({"a"}, start).content != nullptr);
        CHECK(cache->names() == 3);
        CHECK(cache->bytes() == 21);
    }
    // A million other names leave no more behind.
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        std::string const name = std::to_string(i);
        by_bytes.keep({name}, file_of(i, 10), type, start);
    }
    CHECK(by_bytes.bytes() == 30);
    CHECK(by_bytes.names() == 3);
    CHECK(by_bytes.contents() == 3);
}

TEST_CASE("what is larger than a bound is not kept, and nothing is where a bound is 0") {
    auto const takes = [](file_cache const& cache, std::size_t size) {
        return cache.takes(file_of(1, size)->about);
    };
    file_cache const small({.bytes = 100, .file_bytes = 10, .names = 4, .trusted_for = 1s});
    CHECK(takes(small, 10));
    CHECK(takes(small, 0));
    CHECK_FALSE(takes(small, 11));
    CHECK_FALSE(takes(file_cache({.bytes = 9, .file_bytes = 10, .names = 4}), 10));
    CHECK_FALSE(takes(file_cache({.bytes = 0, .file_bytes = 10, .names = 4}), 1));
    CHECK_FALSE(takes(file_cache({.bytes = 9, .file_bytes = 10, .names = 0}), 1));
    file::status folder{.directory = true};
    CHECK_FALSE(small.takes(folder));
}

TEST_CASE("a file is at rest when its times cannot come again") {
    using std::chrono::seconds;
    auto const at = [](std::int64_t whole, int ms) {
        return std::chrono::system_clock::time_point(seconds(whole) +
                                                     std::chrono::milliseconds(ms));
    };
    file::status what{.modified = 100, .modified_ns = 500'000'000};
    CHECK_FALSE(web::has_settled(what, at(100, 500)));
    CHECK_FALSE(web::has_settled(what, at(100, 599)));
    CHECK(web::has_settled(what, at(100, 600)));
    what.modified_ns = 0;  // a file system that counts seconds
    CHECK_FALSE(web::has_settled(what, at(101, 999)));
    CHECK(web::has_settled(what, at(102, 0)));
    what.modified = 5'000'000'000'000;  // from a future that nanoseconds do not reach
    CHECK_FALSE(web::has_settled(what, at(102, 0)));
    what.modified = -5'000'000'000'000;
    CHECK(web::has_settled(what, at(102, 0)));
}
