// Which requests are refused for having waited: bursts never, of a standing queue those that are
// late. RFC 8289 section 3.2.
#include "http/queue_delay.hpp"

#include <doctest/doctest.h>

#include <deque>

using namespace rill;
using http::queue_delay;

namespace {

constexpr duration target = 5ms;
constexpr duration interval = 100ms;
constexpr time_point begin = time_point() + 1h;

struct outcome {
    int offered = 0;
    int served = 0;
    duration longest{};  // that one which was served has waited
};

// One server of 1 ms a request, asked every `gap`, who refuses in 50 us; counts after a second.
outcome serve(queue_delay& judge, duration gap, duration length) {
    outcome all;
    std::deque<time_point> waiting;
    time_point next = begin;
    time_point now = begin;
    while (now < begin + length) {
        for (; next <= now; next += gap) waiting.push_back(next);
        if (waiting.empty()) {
            now = next;
            continue;
        }
        time_point const came = waiting.front();
        waiting.pop_front();
        bool const counts = came >= begin + 1s;
        all.offered += counts ? 1 : 0;
        if (judge.refuses(now - came, now)) {
            now += 50us;
            continue;
        }
        if (counts) {
            ++all.served;
            all.longest = std::max(all.longest, now - came);
        }
        now += 1ms;
    }
    return all;
}

}  // namespace

TEST_CASE("requests that wait for no longer than the target are served for ever") {
    queue_delay judge(target, interval);
    for (int i = 0; i < 10'000; ++i) CHECK(!judge.refuses(target, begin + i * 1ms));
}

TEST_CASE("a burst that is over within the interval is served as a whole") {
    queue_delay judge(target, interval);
    time_point now = begin;
    for (int round = 0; round < 10; ++round) {
        for (int i = 0; i < 99; ++i, now += 1ms) CHECK(!judge.refuses(90ms, now));
        CHECK(!judge.refuses(1ms, now));
    }
}

TEST_CASE("a queue that stands for an interval has its late ones refused, and only those") {
    queue_delay judge(target, interval);
    time_point now = begin;
    for (; now < begin + interval; now += 1ms) CHECK(!judge.refuses(target + 1us, now));
    CHECK(judge.refuses(target + 1us, now));
    CHECK(!judge.refuses(target, now));
    CHECK(judge.refuses(target + 1us, now + interval - 1us));
    // An interval in which nobody was late ends it: the next standing queue has its own interval.
    now += 2 * interval;
    CHECK(!judge.refuses(1ms, now));
    CHECK(!judge.refuses(1s, now));
    CHECK(!judge.refuses(1s, now + interval - 1us));
    CHECK(judge.refuses(1s, now + interval));
}

TEST_CASE("at twice what can be done nearly all of it is done, and nobody waits for long") {
    queue_delay judge(target, interval);
    outcome const all = serve(judge, 500us, 11s);
    CHECK(all.offered > 19'900);
    CHECK(all.served > 9'000);  // of 10,000 that could be, were refusing free
    CHECK(all.longest <= target);
    // Without, who comes last waits for half of the time.
    queue_delay off(10s, interval);
    CHECK(serve(off, 500us, 11s).longest > 4s);
}

TEST_CASE("at nine tenths of what can be done nobody is refused") {
    queue_delay judge(target, interval);
    outcome const all = serve(judge, 1111us, 11s);
    CHECK(all.served == all.offered);
}
