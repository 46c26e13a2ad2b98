// HTTP-date, RFC 9110 section 5.6.7.
#include "rill/codec/http_date.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace std::chrono;
using rill::codec::parse_http_date;

namespace {

sys_seconds at(std::int64_t seconds_since_1970) {
    return sys_seconds(seconds(seconds_since_1970));
}

std::string formatted(sys_seconds when) {
    std::array<char, rill::codec::http_date_size> text{};
    rill::codec::format_http_date(when, text);
    return {text.begin(), text.end()};
}

constexpr sys_seconds example = sys_days(year(1994) / 11 / 6) + 8h + 49min + 37s;
constexpr sys_seconds today = sys_days(year(2026) / 6 / 15) + 12h;

}  // namespace

TEST_CASE("the RFC's example is written and read in all three forms") {
    CHECK(formatted(example) == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", today) == example);
    CHECK(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", today) == example);
    CHECK(parse_http_date("Sun Nov  6 08:49:37 1994", today) == example);
}

TEST_CASE("every day of six centuries survives being written and read") {
    constexpr std::string_view names[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    bool same = true;
    bool day_fits = true;
    for (int day = 0; day < 365 * 600; ++day) {
        sys_seconds const when = at(std::int64_t{day} * 86'400 + day % 86'400);
        std::string const text = formatted(when);
        same = same && parse_http_date(text, today) == when;
        day_fits = day_fits && text.starts_with(names[day % 7]);
    }
    CHECK(same);
    CHECK(day_fits);
    CHECK(formatted(at(0)) == "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK(formatted(at(-1)) == "Wed, 31 Dec 1969 23:59:59 GMT");
    CHECK(formatted(sys_days(year(9999) / 12 / 31) + 24h - 1s) == "Fri, 31 Dec 9999 23:59:59 GMT");
}

TEST_CASE("a year of two digits is at most 50 years ahead") {
    auto const year_of = [](char const* text) {
        auto const when = parse_http_date(text, today);
        REQUIRE(when);
        return static_cast<int>(year_month_day(floor<days>(*when)).year());
    };
    CHECK(year_of("Monday, 15-Jun-26 00:00:00 GMT") == 2026);
    CHECK(year_of("Monday, 15-Jun-75 00:00:00 GMT") == 2075);
    CHECK(year_of("Monday, 15-Jun-76 12:00:00 GMT") == 2076);
    CHECK(year_of("Monday, 15-Jun-76 12:00:01 GMT") == 1976);
    CHECK(year_of("Monday, 16-Jun-76 00:00:00 GMT") == 1976);
    CHECK(year_of("Monday, 15-Jun-77 00:00:00 GMT") == 1977);
    CHECK(year_of("Monday, 15-Jun-00 00:00:00 GMT") == 2000);
    CHECK(year_of("Monday, 15-Jun-99 00:00:00 GMT") == 1999);
}

TEST_CASE("days that exist and seconds that leap are accepted") {
    CHECK(parse_http_date("Tue, 29 Feb 2000 00:00:00 GMT", today));
    CHECK(parse_http_date("Wed, 29 Feb 2012 00:00:00 GMT", today));
    CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", today) == sys_days(year(2017) / 1 / 1));
    CHECK(parse_http_date("Sun Nov 16 08:49:37 1994", today) == example + days(10));
    CHECK(parse_http_date("Mon, 06 Nov 1994 08:49:37 GMT", today) == example);  // it was a Sunday
}

TEST_CASE("what is not an HTTP-date is not read") {
    for (char const* bad : {"",
                            "Sun",
                            "Sun,",
                            "0",
                            "784111777",
                            "Sun, 06 Nov 1994 08:49:37",
                            "1994-11-06T08:49:37Z",
                            "Sun, 06 Nov 1994 08:49:37 UTC",
                            "Sun, 06 Nov 1994 08:49:37 GMT ",
                            " Sun, 06 Nov 1994 08:49:37 GMT",
                            "Sun, 6 Nov 1994 08:49:37 GMT",
                            "Sun, 06 nov 1994 08:49:37 GMT",
                            "SUN, 06 Nov 1994 08:49:37 GMT",
                            "Sun, 06 Nov 94 08:49:37 GMT",
                            "Sun, 00 Nov 1994 08:49:37 GMT",
                            "Sun, 31 Nov 1994 08:49:37 GMT",
                            "Wed, 29 Feb 1900 00:00:00 GMT",
                            "Sun, 29 Feb 2001 00:00:00 GMT",
                            "Sun, 06 Nov 1994 24:00:00 GMT",
                            "Sun, 06 Nov 1994 08:60:37 GMT",
                            "Sun, 06 Nov 1994 08:49:61 GMT",
                            "Sun, 06 Nov 1994 8:49:37 GMT",
                            "Sun, 06 Nov -994 08:49:37 GMT",
                            "Sunday, 06 Nov 1994 08:49:37 GMT",
                            "Sunday, 06-Nov-1994 08:49:37 GMT",
                            "Sun, 06-Nov-94 08:49:37 GMT",
                            "Sun Nov 6 08:49:37 1994",
                            "Sun Nov 06 08:49:37 94",
                            "Sun Nov   6 08:49:37 1994",
                            "Sun Nov  6 08:49:37 1994 GMT",
                            "Nov  6 08:49:37 1994",
                            "Xyz, 06 Nov 1994 08:49:37 GMT"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_http_date(bad, today));
    }
}
