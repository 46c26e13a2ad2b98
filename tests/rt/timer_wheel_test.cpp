// timer_wheel: never early, exactly in order, whatever is armed and cancelled in between.
#include "rill/rt/timer_wheel.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

using namespace rill;

namespace {

time_point at(std::int64_t nanoseconds) {
    return time_point(duration(nanoseconds));
}
std::int64_t count_of(time_point when) {
    return when.time_since_epoch().count();
}

// A timer that runs whatever the test gives it.
struct timer : timer_node {
    timer() : timer_node(&timer::run) {}
    explicit timer(std::function<void(timer&)> what) : timer() { action = std::move(what); }
    static void run(timer_node& node) noexcept {
        auto& self = static_cast<timer&>(node);
        if (self.action) self.action(self);
    }
    std::function<void(timer&)> action;
};

}  // namespace

TEST_CASE("a timer expires at its time and not a nanosecond before") {
    timer_wheel wheel(at(1'000));
    int runs = 0;
    timer t([&](timer&) { ++runs; });
    for (std::int64_t const length : {1LL, 63LL, 64LL, 4095LL, 4096LL, 1'000'000LL,
                                      60'000'000'000LL, 86'400'000'000'000LL * 365 * 100}) {
        int const before = runs;
        time_point const when = wheel.now() + duration(length);
        wheel.arm(t, when);
        CHECK(t.armed());
        CHECK(wheel.next() == when);
        CHECK(wheel.advance(when - 1ns) == 0);
        CHECK(runs == before);
        CHECK(wheel.next() == when);
        CHECK(wheel.advance(when) == 1);
        CHECK(runs == before + 1);
        CHECK_FALSE(t.armed());
        CHECK(wheel.empty());
        CHECK(wheel.next() == never);
    }
}

TEST_CASE("never is not armed, and the last moment before it is") {
    timer_wheel wheel(at(0));
    timer t;
    wheel.arm(t, never);
    CHECK_FALSE(t.armed());
    wheel.arm(t, at(5));
    wheel.arm(t, never);
    CHECK(wheel.empty());
    CHECK(wheel.advance(at(10)) == 0);
    wheel.arm(t, never - 1ns);
    CHECK(wheel.size() == 1);
    CHECK(wheel.advance(never - 2ns) == 0);
    CHECK(wheel.advance(never - 1ns) == 1);
}

TEST_CASE("cancelling is idempotent and a cancelled timer does not run") {
    timer_wheel wheel(at(0));
    int runs = 0;
    timer t([&](timer&) { ++runs; });
    wheel.cancel(t);
    wheel.arm(t, at(100));
    wheel.arm(t, at(200));  // armed again: only the later time counts
    CHECK(wheel.size() == 1);
    CHECK(wheel.advance(at(150)) == 0);
    wheel.cancel(t);
    wheel.cancel(t);
    CHECK(wheel.empty());
    CHECK(wheel.advance(at(1'000)) == 0);
    CHECK(runs == 0);
}

TEST_CASE("timers expire in the order of their times, and of arming where those are equal") {
    timer_wheel wheel(at(0));
    std::vector<int> order;
    std::vector<std::unique_ptr<timer>> timers;
    std::int64_t const when[] = {5'000'000, 70, 5'000'000, 3, 70, 4'999'999, 5'000'000};
    for (int i = 0; i < 7; ++i) {
        timers.push_back(std::make_unique<timer>([&order, i](timer&) { order.push_back(i); }));
        wheel.arm(*timers.back(), at(when[i]));
        // Armed from different places in time: the order of arming must survive the levels.
        if (i == 3) CHECK(wheel.advance(at(2)) == 0);
    }
    CHECK(wheel.advance(at(6'000'000)) == 7);
    CHECK(order == std::vector<int>{3, 1, 4, 5, 0, 2, 6});
}

TEST_CASE("a time that has passed counts as the present one") {
    timer_wheel wheel(at(500));
    timer t;
    wheel.arm(t, at(100));
    CHECK(t.when() == at(500));
    CHECK(wheel.next() == at(500));
    CHECK(wheel.advance(at(499)) == 0);  // the clock does not go back
    CHECK(wheel.now() == at(500));
    CHECK(wheel.advance(at(500)) == 1);
    // The same when the wheel has not looked at its slots for a while.
    timer far;
    wheel.arm(far, at(1'000'000));
    CHECK(wheel.advance(at(900'000)) == 0);
    wheel.arm(t, at(600));
    CHECK(wheel.next() == at(900'000));
    CHECK(wheel.advance(at(900'000)) == 1);
    wheel.cancel(far);
}

TEST_CASE("a callback may arm its own timer again, and each advance ends") {
    timer_wheel wheel(at(0));
    int runs = 0;
    timer t([&](timer& self) {
        ++runs;
        wheel.arm(self, at(1));  // long passed
    });
    wheel.arm(t, at(10));
    CHECK(wheel.advance(at(1'000)) == 1);
    CHECK(wheel.next() == at(1'000));
    CHECK(wheel.advance(at(1'000)) == 1);
    CHECK(wheel.advance(at(5'000)) == 1);
    CHECK(runs == 3);
    CHECK(wheel.size() == 1);
    wheel.cancel(t);
}

TEST_CASE("a callback may cancel and move timers of the same moment, and destroy its own") {
    timer_wheel wheel(at(0));
    std::vector<char> order;
    timer b([&](timer&) { order.push_back('b'); });
    timer c([&](timer&) { order.push_back('c'); });
    timer d([&](timer&) { order.push_back('d'); });
    auto owned = std::make_unique<timer>();
    timer a([&](timer&) {
        order.push_back('a');
        wheel.cancel(b);
        wheel.arm(c, at(101));
        wheel.arm(*owned, at(100));
    });
    owned->action = [&](timer&) {
        order.push_back('o');
        auto const last = std::move(owned);
    };
    for (timer* t : {&a, &b, &c, &d}) wheel.arm(*t, at(100));
    CHECK(wheel.advance(at(100)) == 2);
    CHECK(wheel.next() == at(100));
    CHECK(wheel.advance(at(100)) == 1);
    CHECK(wheel.advance(at(101)) == 1);
    CHECK(order == std::vector<char>{'a', 'd', 'o', 'c'});
    CHECK(owned == nullptr);
    CHECK(wheel.empty());
}

TEST_CASE("a loop that waits for next() does not spin, however many timers share a slot") {
    timer_wheel wheel(at(0));
    std::vector<timer> timers(1'000);
    for (std::size_t i = 0; i < timers.size(); ++i) {
        wheel.arm(timers[i], at(60'000'000'000) + duration(i / 10));
    }
    std::size_t expired = 0;
    int turns = 0;
    for (; !wheel.empty() && turns < 1'000; ++turns) {
        time_point const before = wheel.next();
        expired += wheel.advance(before);
        REQUIRE(wheel.next() > before);
    }
    CHECK(expired == 1'000);
    CHECK(turns <= 100 + 20);  // the hundred different times and a few stops at slots
    // A cancellation may leave the answer too early, once.
    wheel.arm(timers[0], wheel.now() + 1s);
    wheel.arm(timers[1], wheel.now() + 2s);
    wheel.cancel(timers[0]);
    time_point const early = wheel.next();
    CHECK(wheel.advance(early) == 0);
    CHECK(wheel.next() == timers[1].when());
    wheel.cancel(timers[1]);
}

TEST_CASE("a million timers are armed at once, half are cancelled, and one jump expires the rest") {
    timer_wheel wheel(at(0));
    std::vector<timer> timers(1'000'000);
    std::mt19937_64 random(1);
    std::int64_t last = 0;
    bool ordered = true;
    for (timer& t : timers) {
        t.action = [&](timer& self) {
            ordered = ordered && last <= count_of(self.when());
            last = count_of(self.when());
        };
        wheel.arm(t, at(static_cast<std::int64_t>(random() % 3'600'000'000'000)));
    }
    CHECK(wheel.size() == 1'000'000);
    for (std::size_t i = 0; i < timers.size(); i += 2) wheel.cancel(timers[i]);
    CHECK(wheel.size() == 500'000);
    CHECK(wheel.advance(at(7'200'000'000'000)) == 500'000);
    CHECK(ordered);
    CHECK(wheel.empty());
}

namespace {

// The wheel beside a sorted map that says what it should do.
class comparison {
public:
    explicit comparison(std::uint64_t seed) : random_(seed), timers_(300) {
        for (std::size_t i = 0; i < timers_.size(); ++i) {
            timers_[i].action = [this, i](timer&) { expired(i); };
        }
    }
    ~comparison() {
        for (timer& t : timers_) wheel_.cancel(t);
    }

    void step() {
        switch (pick(8)) {
            case 0:
            case 1:
            case 2:
            case 3:
                arm(pick(timers_.size()), some_time());
                break;
            case 4:
            case 5:
                cancel(pick(timers_.size()));
                break;
            case 6:
                advance(some_time());
                break;
            default:
                advance(wheel_.next() == never ? wheel_.now() : wheel_.next());
                break;
        }
        REQUIRE(wheel_.size() == model_.size());
        if (model_.empty()) {
            REQUIRE(wheel_.next() == never);
        } else {
            REQUIRE(count_of(wheel_.next()) <= model_.begin()->first.first);
        }
    }

    std::size_t expired_count() const { return expired_count_; }

private:
    using key = std::pair<std::int64_t, std::uint64_t>;

    std::size_t pick(std::size_t below) { return random_() % below; }

    // Lengths of all magnitudes, so that every level is used; sometimes passed, now or never.
    time_point some_time() {
        std::int64_t const now = count_of(wheel_.now());
        switch (pick(20)) {
            case 0:
                return at(now);
            case 1:
                return at(now - static_cast<std::int64_t>(pick(5'000)));
            case 2:
                return at((now | 63) + 1);
            default:
                break;
        }
        std::int64_t const length = static_cast<std::int64_t>(random_() >> (24 + pick(39)));
        return later(wheel_.now(), duration(length));
    }

    void arm(std::size_t i, time_point when) {
        if (pick(30) == 0) when = never;
        if (pick(200) == 0) when = never - duration(random_() >> (2 + pick(30)));
        forget(i);
        wheel_.arm(timers_[i], when);
        REQUIRE(timers_[i].armed() == (when != never));
        if (when == never) return;
        // Armed by a callback for a time that has passed: due at the next advance.
        std::int64_t const effective = std::max(count_of(when), count_of(wheel_.now()));
        bool const waits = advancing_ && effective == count_of(wheel_.now());
        keys_[i] = {effective, ++sequence_};
        model_.emplace(keys_[i], i);
        if (waits) first_waiting_ = std::min(first_waiting_, sequence_);
    }
    void cancel(std::size_t i) {
        forget(i);
        wheel_.cancel(timers_[i]);
        REQUIRE_FALSE(timers_[i].armed());
    }
    void forget(std::size_t i) {
        if (auto const found = keys_.find(i); found != keys_.end()) {
            model_.erase(found->second);
            keys_.erase(found);
        }
    }
    void advance(time_point now) {
        now = std::max(now, wheel_.now());
        limit_ = now;
        advancing_ = true;
        first_waiting_ = UINT64_MAX;
        wheel_.advance(now);
        advancing_ = false;
        for (auto const& [k, i] : model_) {
            if (k.first > count_of(now)) break;
            REQUIRE(k.second >= first_waiting_);
        }
    }
    void expired(std::size_t i) {
        ++expired_count_;
        bool const is_first = !model_.empty() && model_.begin()->second == i;
        bool const is_due = is_first && model_.begin()->first.first <= count_of(limit_);
        if (!is_due) FAIL_CHECK("expired early or out of order");
        forget(i);
        if (pick(3) == 0) arm(pick(timers_.size()), some_time());
        if (pick(3) == 0) cancel(pick(timers_.size()));
        if (pick(3) == 0) arm(i, some_time());
    }

    std::mt19937_64 random_;
    timer_wheel wheel_{at(12'345)};
    std::vector<timer> timers_;
    std::map<key, std::size_t> model_;
    std::map<std::size_t, key> keys_;
    std::uint64_t sequence_ = 0;
    std::uint64_t first_waiting_ = UINT64_MAX;
    std::size_t expired_count_ = 0;
    time_point limit_ = at(0);
    bool advancing_ = false;
};

}  // namespace

TEST_CASE("random arming, cancelling and advancing agrees with a sorted map") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        comparison both(seed);
        for (int i = 0; i < 4'000; ++i) both.step();
        CHECK(both.expired_count() > 500);
    }
}
