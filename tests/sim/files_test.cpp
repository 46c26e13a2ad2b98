// Files of a simulated world: whatever a disk does, what is replaced is whole, nothing is left
// open, and who watches knows what there is.
#include <doctest/doctest.h>

#include <cerrno>
#include <set>
#include <string>

#include "file_world.hpp"

using namespace rill;

namespace {

constexpr std::uint64_t seed_count = 10'000;  // RILL_SEEDS sets another

}  // namespace

TEST_CASE("a file that is replaced while it is read and served is one version, whole") {
    test::settings with;
    with.faults = test::faults::slow();
    with.faults.short_files = 300;
    auto const program = [] { sim::replace_while_served(true); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("the same from a disk that fails, over a network that does") {
    test::settings with;
    with.faults = test::faults::hostile();
    with.faults.disk_errors = 50;
    auto const program = [] { sim::replace_while_served(false); };
    static_cast<void>(test::seeds(seed_count, program, with));
}

TEST_CASE("who watches a directory knows what is in it") {
    test::settings with;
    with.faults = test::faults::slow();
    static_cast<void>(test::seeds(seed_count, sim::watch_names, with));
}

TEST_CASE("a walk of what changes ends, and gives nothing twice") {
    test::settings with;
    with.faults = test::faults::hostile();
    static_cast<void>(test::seeds(seed_count, sim::walk_what_changes, with));
}

TEST_CASE("a disk that fails by plan fails every call on files and paths with EIO") {
    auto const program = []() -> task<> {
        test::add_file("/top/a", "content");
        file::root const top("/top");
        file::handle const opened =
            co_await file::open(top, "a", {.access = file::access::read_write});
        test::inject({.what = test::fault::disk_error});
        co_await rill::sleep(1ms);
        int failed = 0;
        auto const count = [&](auto const& outcome) {
            if (!outcome && outcome.error() == system_error(EIO)) ++failed;
        };
        count(co_await as_result(file::open(top, "a")));
        count(co_await as_result(file::open_beneath(top, "a")));
        count(co_await as_result(file::status_of(top, "a")));
        count(co_await as_result(file::make_directory(top, "b")));
        count(co_await as_result(file::rename(top, "a", "b")));
        count(co_await as_result(file::remove(top, "a")));
        count(co_await as_result(file::replace(top, "a", "x")));
        count(co_await as_result(file::temporary(top)));
        count(co_await as_result(file::sync(opened)));
        count(co_await as_result(file::truncate(opened, 1)));
        count(co_await as_result(file::read_all(opened)));
        count(co_await as_result(file::write_all(opened, "x")));
        test::expect(failed == 12, "all of them");
        test::heal();
        auto const text = co_await file::read_all(opened);
        test::expect(text == "content", "none of them did anything");
    };
    static_cast<void>(test::simulate(1, program));
}

TEST_CASE("by chance a disk says EIO, EACCES and ENOSPC") {
    std::set<int> seen;
    auto const program = [&]() -> task<> {
        test::add_directory("/top");
        file::root const top("/top");
        for (int i = 0; i < 4; ++i) {
            auto const made = co_await as_result(file::make_directory(top, "a"));
            if (!made) seen.insert(made.error().value());
            auto const looked = co_await as_result(file::status_of(top, "."));
            if (!looked) seen.insert(looked.error().value());
        }
    };
    test::settings with;
    with.faults.disk_errors = 300;
    static_cast<void>(test::seeds(200, program, with));
    CHECK(seen == std::set<int>{EIO, EACCES, ENOSPC, EEXIST});
}
