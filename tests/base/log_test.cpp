// log: levels, fields, sinks, harmless lines and limits.
#include "rill/base/log.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "rill/base/error.hpp"

namespace log = rill::log;
using namespace std::chrono_literals;

namespace {

using wall_time = std::chrono::system_clock::time_point;

// Collects lines without their times, and puts the log back as it was.
struct collected {
    explicit collected(log::level from = log::level::info) : before(log::current_level()) {
        log::set_level(from);
        log::set_sink([this](log::record const& what) {
            lines.push_back(log::to_line(what).substr(sizeof "2026-01-01T00:00:00.000000Z"));
        });
    }
    ~collected() {
        log::set_sink({});
        log::set_clocks({});
        log::set_level(before);
    }
    collected(collected const&) = delete;
    collected& operator=(collected const&) = delete;

    log::level before;
    std::vector<std::string> lines;
};

std::string text_line(std::string_view message, std::string_view value) {
    log::field const fields[] = {{"v", value}};
    return log::to_line({.time = wall_time{}, .message = message, .fields = fields})
        .substr(sizeof "2026-01-01T00:00:00.000000Z");
}

}  // namespace

TEST_CASE("what is below the level is not written and its values are not evaluated") {
    collected out(log::level::info);
    int evaluated = 0;
    RILL_LOG(debug, "below", {"n", ++evaluated});
    RILL_LOG_EVERY(1s, debug, "below", {"n", ++evaluated});
    CHECK(evaluated == 0);
    RILL_LOG(info, "level", {"n", ++evaluated});
    RILL_LOG(warn, "above");
    CHECK(evaluated == 1);
    CHECK(out.lines == std::vector<std::string>{"info  level n=1\n", "warn  above\n"});
    log::set_level(log::level::off);
    RILL_LOG(error, "off", {"n", ++evaluated});
    log::error("off");
    CHECK(evaluated == 1);
    CHECK(out.lines.size() == 2);
}

TEST_CASE("each level has its function") {
    collected out(log::level::trace);
    log::trace("a");
    log::debug("b");
    log::info("c", {{"peer", std::string("[::1]:80")}, {"core", 3}});
    log::warn("d");
    log::error("e");
    CHECK(out.lines == std::vector<std::string>{"trace a\n", "debug b\n",
                                                "info  c peer=[::1]:80 core=3\n", "warn  d\n",
                                                "error e\n"});
}

TEST_CASE("values of every kind are written readably") {
    collected out;
    char const* const pointer = "x y";
    log::info("kinds", {{"text", pointer},
                        {"empty", ""},
                        {"least", std::numeric_limits<std::int64_t>::min()},
                        {"most", std::numeric_limits<std::uint64_t>::max()},
                        {"small", static_cast<unsigned char>(7)},
                        {"real", 0.5},
                        {"yes", true},
                        {"took", 1500us},
                        {"why", rill::make_error_code(rill::errc::timed_out)}});
    REQUIRE(out.lines.size() == 1);
    CHECK(out.lines[0] ==
          "info  kinds text=\"x y\" empty=\"\" least=-9223372036854775808 "
          "most=18446744073709551615 small=7 real=0.5 yes=true took=1.500ms "
          "why=\"deadline passed (rill:2)\"\n");
}

TEST_CASE("times are UTC in ISO 8601") {
    wall_time const when{std::chrono::seconds(784'111'777) + 42us};
    CHECK(log::to_line({.time = when, .message = "m"}) == "1994-11-06T08:49:37.000042Z info  m\n");
    CHECK(log::to_line({.time = wall_time{} - 1us, .message = "m"}) ==
          "1969-12-31T23:59:59.999999Z info  m\n");
}

TEST_CASE("text from a peer cannot forge a line or paint on a terminal") {
    using namespace std::string_literals;
    CHECK(text_line("m", "a\r\n2026 error forged\t") ==
          "info  m v=\"a\\r\\n2026 error forged\\t\"\n");
    CHECK(text_line("m", "\x1b[31m\x7f\0"s) == "info  m v=\"\\x1b[31m\\x7f\\x00\"\n");
    CHECK(text_line("m", "a\" core=\"9\\") == "info  m v=\"a\\\" core=\\\"9\\\\\"\n");
    CHECK(text_line("m", "a=b") == "info  m v=\"a=b\"\n");
    CHECK(text_line("a\nb", "x") == "info  a\\nb v=x\n");
    // C1 control, right-to-left override, line separator, byte order mark
    CHECK(text_line("m", "\xc2\x9b") == "info  m v=\"\\xc2\\x9b\"\n");
    CHECK(text_line("m", "\xe2\x80\xae") == "info  m v=\"\\xe2\\x80\\xae\"\n");
    CHECK(text_line("m", "\xe2\x80\xa8") == "info  m v=\"\\xe2\\x80\\xa8\"\n");
    CHECK(text_line("m", "\xef\xbb\xbf") == "info  m v=\"\\xef\\xbb\\xbf\"\n");
    // not UTF-8: stray, cut off, overlong, surrogate, beyond the last
    for (std::string_view const bad :
         {"\x80", "\xe4\xb8", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80",
          "\xf0\x80\x80\x80", "\xff"}) {
        CAPTURE(bad);
        std::string const line = text_line("m", bad);
        CHECK(line.find("\\x") != std::string::npos);
        CHECK(line.find(bad) == std::string::npos);
    }
    // Chinese, a ligature of four bytes, accents
    CHECK(text_line("m", "\xe4\xb8\xad \xf0\x9f\x8c\x8a \xc3\xbc") ==
          "info  m v=\"\xe4\xb8\xad \xf0\x9f\x8c\x8a \xc3\xbc\"\n");
}

TEST_CASE("a long text is cut and says so") {
    std::string const line = text_line("m", std::string(100'000, 'x'));
    CHECK(line.size() < 1'100);
    CHECK(line.ends_with("x...\"\n"));
}

TEST_CASE("a place logs once per interval and says what it left out") {
    static rill::time_point now;
    now = rill::time_point(1h);
    collected out;
    log::set_clocks({.monotonic = []() noexcept { return now; }});
    int evaluated = 0;
    auto const flood = [&evaluated] {
        RILL_LOG_EVERY(1s, warn, "no descriptors left", {"n", ++evaluated});
    };
    for (int i = 0; i < 1'000; ++i) flood();
    now += 999ms;
    flood();
    CHECK(out.lines.size() == 1);
    CHECK(evaluated == 1);
    now += 1ms;
    for (int i = 0; i < 3; ++i) flood();
    now += 5s;
    flood();
    CHECK(out.lines == std::vector<std::string>{
                           "warn  no descriptors left n=1\n",
                           "warn  no descriptors left n=2 suppressed=1000\n",
                           "warn  no descriptors left n=3 suppressed=2\n",
                       });
}

TEST_CASE("a sink that throws loses its line and nothing else") {
    collected out;
    log::set_sink([](log::record const&) { throw 1; });
    CHECK_NOTHROW(log::error("lost"));
    log::set_sink([&out](log::record const& what) { out.lines.emplace_back(what.message); });
    log::error("kept");
    CHECK(out.lines == std::vector<std::string>{"kept"});
}

TEST_CASE("many threads log while the sink and the level change") {
    collected out(log::level::error);
    std::atomic<int> seen = 0;
    log::limiter limit;
    std::atomic<std::uint64_t> counted = 0;
    auto const counting = [&seen](log::record const&) { ++seen; };
    log::set_sink(counting);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 1'000; ++n) {
                log::error("line", {{"n", n}});
                auto const verdict = limit.ask(rill::time_point(1ns * n), 100ns);
                counted += verdict.suppressed + (verdict.pass ? 1U : 0U);
            }
        });
    }
    for (int n = 0; n < 100; ++n) {
        log::set_sink(counting);
        log::set_level(n % 2 == 0 ? log::level::warn : log::level::error);
    }
    for (std::thread& one : threads) one.join();
    counted += limit.ask(rill::never - 1ns, 1ns).suppressed;
    CHECK(seen == 4'000);
    CHECK(counted == 4'000);
}

TEST_CASE("levels are known by name") {
    CHECK(log::parse_level("trace") == log::level::trace);
    CHECK(log::parse_level("error") == log::level::error);
    CHECK(log::parse_level("off") == log::level::off);
    CHECK_FALSE(log::parse_level("Info"));
    CHECK_FALSE(log::parse_level(""));
}

// Runs in a process of its own with RILL_LOG=debug: see meson.build.
TEST_CASE("the level at the start comes from RILL_LOG" * doctest::skip()) {
    CHECK(log::current_level() == log::level::debug);
}
