// run.hpp: one core per CPU, and what happens when one of them fails.
#include "rill/rt/run.hpp"

#include <dirent.h>
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>

#include "rill/rt/sleep.hpp"
#include "rt/cpus.hpp"

using namespace rill;

namespace {

int open_descriptors() {
    int count = 0;
    for ([[maybe_unused]] auto const& each : std::filesystem::directory_iterator("/proc/self/fd")) {
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("run_per_core runs the body once on each core, and each knows its place") {
    std::atomic<std::uint32_t> places = 0;
    auto const body = [&]() -> task<> {
        CHECK(core_count() == 3);
        places += 1U << core::current().index();
        co_return;
    };
    CHECK(run_per_core(body, {.cores = 3}) == 0);
    CHECK(places.load() == 7);
    CHECK(core_count() == 1);
}

TEST_CASE("the first failure of a core cancels the others and is thrown") {
    std::atomic<int> ended = 0;
    auto const body = [&]() -> task<> {
        struct guard {
            std::atomic<int>& count;
            explicit guard(std::atomic<int>& of) : count(of) {}
            guard(guard const&) = delete;
            guard& operator=(guard const&) = delete;
            ~guard() { ++count; }
        } const local(ended);
        if (core::current().index() == 1) {
            co_await rill::yield();
            throw std::runtime_error("core 1");
        }
        co_await rill::sleep(1h);
    };
    CHECK_THROWS_WITH_AS(run_per_core(body, {.cores = 3}), "core 1", std::runtime_error);
    CHECK(ended.load() >= 1);
}

TEST_CASE("a body that throws before its first wait ends all cores") {
    auto const body = []() -> task<> {
        throw std::runtime_error("at once");
        co_return;
    };
    CHECK_THROWS_WITH_AS(run_per_core(body, {.cores = 4}), "at once", std::runtime_error);
}

TEST_CASE("where one core cannot be made no body runs, and the error says why") {
    std::atomic<int> bodies = 0;
    auto const body = [&]() -> task<> {
        ++bodies;
        co_return;
    };
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    // Room for some of them only: each core needs a ring and an eventfd.
    for (int room = 1; room <= 8; ++room) {
        rlimit tight = before;
        tight.rlim_cur = static_cast<rlim_t>(open_descriptors() - 1 + room);
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
        std::error_code code;
        std::string text;
        try {
            run_per_core(body, {.cores = 8});
        } catch (error const& failure) {
            code = failure.code();
            text = failure.what();
        }
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
        CHECK(code == system_error(EMFILE));
        CHECK(text.find("ulimit -n") != std::string::npos);
        CHECK(bodies.load() == 0);
    }
    run_per_core(body, {.cores = 4});
    CHECK(bodies.load() == 4);
}

TEST_CASE("RILL_CORES gives the number of cores where the program leaves it open") {
    std::atomic<std::uint32_t> count = 0;
    auto const body = [&]() -> task<> {
        count = core_count();
        co_return;
    };
    ::setenv("RILL_CORES", "2", 1);
    run_per_core(body);
    CHECK(count.load() == 2);
    run_per_core(body, {.cores = 1});
    CHECK(count.load() == 1);
    for (char const* const bad : {"two", "2x", "-1", ""}) {
        ::setenv("RILL_CORES", bad, 1);
        CHECK_THROWS_AS(run_per_core(body), error);
    }
    ::setenv("RILL_CORES", "0", 1);
    run_per_core(body);
    CHECK(count.load() == usable_cpus());
    ::unsetenv("RILL_CORES");
}

TEST_CASE("pinned cores each keep to one CPU that the process may use") {
    auto const allowed = cpus::allowed();
    std::atomic<int> pinned = 0;
    auto const body = [&]() -> task<> {
        auto const mine = cpus::allowed();
        if (mine.size() == 1 && mine[0] == allowed[core::current().index() % allowed.size()]) {
            ++pinned;
        }
        co_return;
    };
    run_per_core(body, {.cores = 3, .pin = true});
    CHECK(pinned.load() == 3);
    CHECK(cpus::allowed() == allowed);
}

TEST_CASE("the quota is the least of the process's cgroup and those above it") {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "rill-cgroup-XXXXXX").string();
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    fs::create_directories(folder + "/a/b");
    auto const write = [&](std::string const& place, char const* text) {
        std::ofstream(folder + place + "/cpu.max") << text;
    };
    CHECK(cpus::quota("0::/a/b\n", folder) == 0);
    write("/a/b", "max 100000\n");
    CHECK(cpus::quota("0::/a/b\n", folder) == 0);
    write("/a", "150000 100000\n");
    CHECK(cpus::quota("0::/a/b\n", folder) == 1.5);
    write("/a/b", "50000 100000\n");
    CHECK(cpus::quota("1:cpu:/x\n0::/a/b\n", folder) == 0.5);
    CHECK(cpus::quota("0::/\n", folder) == 0);
    write("", "200000 100000\n");
    CHECK(cpus::quota("0::/\n", folder) == 2);
    CHECK(cpus::quota("", folder) == 2);
    write("", "garbage\n");
    CHECK(cpus::quota("0::/\n", folder) == 0);
    fs::remove_all(folder);
}
