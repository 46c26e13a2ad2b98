// HTTP-date, without a locale and without the C library's time zones.
#include "rill/codec/http_date.hpp"

#include <cstring>

#include "rill/base/assert.hpp"

namespace rill::codec {

namespace {

using namespace std::chrono;

constexpr std::string_view short_days = "SunMonTueWedThuFriSat";
constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::string_view long_days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                          "Thursday", "Friday", "Saturday"};

void put_two(char* into, unsigned value) noexcept {
    into[0] = static_cast<char>('0' + value / 10);
    into[1] = static_cast<char>('0' + value % 10);
}

// Reads from the front of a text; once something did not fit, `good` stays false.
struct reader {
    std::string_view rest;
    bool good = true;

    void expect(std::string_view what) noexcept {
        good = good && rest.starts_with(what);
        if (good) rest.remove_prefix(what.size());
    }
    int number(std::size_t digits) noexcept {
        good = good && rest.size() >= digits;
        if (!good) return 0;
        int value = 0;
        for (char const c : rest.substr(0, digits)) {
            good = good && c >= '0' && c <= '9';
            value = value * 10 + (c - '0');
        }
        rest.remove_prefix(digits);
        return value;
    }
    // The place of a three-letter name in a list of them.
    unsigned name(std::string_view list) noexcept {
        for (std::size_t at = 0; good && at < list.size(); at += 3) {
            if (!rest.starts_with(list.substr(at, 3))) continue;
            rest.remove_prefix(3);
            return static_cast<unsigned>(at / 3);
        }
        good = false;
        return 0;
    }
    month month_name() noexcept { return month(name(months) + 1); }
    day two_digit_day() noexcept { return day(static_cast<unsigned>(number(2))); }
    // "08:49:37"; 23:59:60 is a leap second.
    seconds time_of_day() noexcept {
        int const hour = number(2);
        expect(":");
        int const minute = number(2);
        expect(":");
        int const second = number(2);
        good = good && hour < 24 && minute < 60 && second <= 60;
        return hours(hour) + minutes(minute) + seconds(second);
    }
};

std::optional<sys_seconds> moment(reader const& read, year_month_day date, seconds time) noexcept {
    if (!read.good || !read.rest.empty() || !date.ok()) return std::nullopt;
    return sys_days(date) + time;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", from behind the comma
std::optional<sys_seconds> parse_fixdate(reader read) noexcept {
    read.expect(", ");
    day const d = read.two_digit_day();
    read.expect(" ");
    month const m = read.month_name();
    read.expect(" ");
    year const y(read.number(4));
    read.expect(" ");
    seconds const time = read.time_of_day();
    read.expect(" GMT");
    return moment(read, y / m / d, time);
}

// "Sun Nov  6 08:49:37 1994", from behind the name of the day
std::optional<sys_seconds> parse_asctime(reader read) noexcept {
    read.expect(" ");
    month const m = read.month_name();
    read.expect(" ");
    bool const one_digit = read.rest.starts_with(' ');
    if (one_digit) read.expect(" ");
    day const d(static_cast<unsigned>(read.number(one_digit ? 1 : 2)));
    read.expect(" ");
    seconds const time = read.time_of_day();
    read.expect(" ");
    year const y(read.number(4));
    return moment(read, y / m / d, time);
}

// "Sunday, 06-Nov-94 08:49:37 GMT", from behind the name of the day
std::optional<sys_seconds> parse_rfc850(reader read, sys_seconds now) noexcept {
    read.expect(", ");
    day const d = read.two_digit_day();
    read.expect("-");
    month const m = read.month_name();
    read.expect("-");
    int const two_digits = read.number(2);
    read.expect(" ");
    seconds const time = read.time_of_day();
    read.expect(" GMT");
    // The latest year with these digits that is at most 50 ahead; in the fiftieth the rest decides.
    year_month_day const today(floor<days>(now));
    int const latest = static_cast<int>(today.year()) + 50;
    int y = latest - (latest - two_digits) % 100;
    month_day const date = m / d;
    month_day const current = today.month() / today.day();
    bool const is_later = date > current || (date == current && time > now - floor<days>(now));
    if (y == latest && is_later) y -= 100;
    return moment(read, year(y) / date, time);
}

}  // namespace

void format_http_date(sys_seconds when, std::span<char, http_date_size> into) noexcept {
    sys_days const date = floor<days>(when);
    year_month_day const ymd(date);
    int const y = static_cast<int>(ymd.year());
    RILL_ASSERT(y >= 0 && y <= 9999, "an HTTP-date has a year of four digits");
    auto const time = static_cast<unsigned>((when - date).count());
    auto const full_year = static_cast<unsigned>(y);
    char* const out = into.data();
    std::memcpy(out, "Sun, 06 Nov 1994 08:49:37 GMT", http_date_size);
    std::memcpy(out, short_days.data() + weekday(date).c_encoding() * 3, 3);
    put_two(out + 5, static_cast<unsigned>(ymd.day()));
    std::memcpy(out + 8, months.data() + (static_cast<unsigned>(ymd.month()) - 1) * 3, 3);
    put_two(out + 12, full_year / 100);
    put_two(out + 14, full_year % 100);
    put_two(out + 17, time / 3600);
    put_two(out + 20, time / 60 % 60);
    put_two(out + 23, time % 60);
}

std::optional<sys_seconds> parse_http_date(std::string_view text, sys_seconds now) noexcept {
    for (std::string_view const name : long_days) {
        if (text.starts_with(name)) return parse_rfc850({text.substr(name.size())}, now);
    }
    reader read{text};
    static_cast<void>(read.name(short_days));
    return read.rest.starts_with(',') ? parse_fixdate(read) : parse_asctime(read);
}

}  // namespace rill::codec
