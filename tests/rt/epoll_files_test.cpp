// File requests of the epoll driver that are with the blocking pool, and their cancellation.
#include "rt/epoll_files.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <semaphore>
#include <string>
#include <thread>

#include "rill/coro/when_all.hpp"
#include "rill/rt/blocking.hpp"
#include "support/probe.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

using test::finished;
using test::probe;
using test::settle;

/// A file without a name.
class nameless_file {
public:
    nameless_file() {
        std::string name = "/tmp/rill-files-XXXXXX";
        descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
        REQUIRE(descriptor_ >= 0);
        ::unlink(name.c_str());
    }
    nameless_file(nameless_file const&) = delete;
    nameless_file& operator=(nameless_file const&) = delete;
    ~nameless_file() { ::close(descriptor_); }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(::lseek(descriptor_, 0, SEEK_END));
    }

private:
    int descriptor_ = -1;
};

/// The pool has one thread, as long as this lives.
struct one_thread {
    one_thread() {
        configure_blocking({.most_threads = 1, .idle_time = 0s});
        while (blocking_now().threads > 1) std::this_thread::yield();
    }
    one_thread(one_thread const&) = delete;
    one_thread& operator=(one_thread const&) = delete;
    ~one_thread() { configure_blocking({}); }
};

}  // namespace

TEST_CASE("a file request that waits for a thread is cancelled at once, and does nothing") {
    one_thread const alone;
    auto const body = []() -> task<> {
        std::binary_semaphore begun(0);
        std::binary_semaphore go_on(0);
        nameless_file const file;
        auto const holding = [&]() -> task<> {
            auto const hold = [&] {
                begun.release();
                go_on.acquire();
            };
            co_await blocking(hold);
        };
        auto const cancelling = [&]() -> task<> {
            while (!begun.try_acquire()) co_await rill::sleep(100us);
            bytes const piece("text");
            probe writing(verb::write_file, file.descriptor());
            writing.set_pieces(&piece, 1);
            writing.start();
            co_await settle();
            CHECK(writing.in_flight());
            CHECK(blocking_now().waiting == 1);
            writing.stop();
            writing.stop();
            int const value = co_await finished(writing);
            CHECK(value == -ECANCELED);
            CHECK(writing.outcomes().size() == 1);
            CHECK(blocking_now().waiting == 0);
            // The job is used again.
            writing.start();
            co_await settle();
            go_on.release();
            int const written = co_await finished(writing);
            CHECK(written == 4);
        };
        co_await when_all(holding(), cancelling());
        CHECK(file.size() == 4);
    };
    test::run_in(test::world::epoll, body);
}

TEST_CASE("a file request that a thread has begun comes back once, with what was done") {
    std::string const text(4 << 20, 'x');
    auto const body = [&]() -> task<> {
        for (int turns = 0; turns < 20; ++turns) {
            CAPTURE(turns);
            nameless_file const file;
            bytes const piece(text);
            probe writing(verb::write_file, file.descriptor());
            writing.set_pieces(&piece, 1);
            writing.start();
            co_await settle(turns);
            writing.stop();
            int const value = co_await finished(writing);
            CHECK(writing.outcomes().size() == 1);
            CHECK((value == -ECANCELED || value == static_cast<int>(text.size())));
            CHECK(file.size() == static_cast<std::size_t>(std::max(value, 0)));
        }
    };
    test::run_in(test::world::epoll, body);
}

}  // namespace rill
