// The log's sink, level, clocks and line format.
#include "rill/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/text_escape.hpp"

namespace rill::log {

namespace {

constexpr std::array<std::string_view, 6> level_names{"trace", "debug", "info",
                                                      "warn",  "error", "off"};

// The longest text of a value or message that is written.
constexpr std::size_t text_limit = 1024;

struct sink_place {
    std::mutex mutex;
    std::shared_ptr<sink const> current;  // null: stderr
};

// Never destroyed: destructors of the program's own globals may log.
sink_place& the_sink() noexcept {
    alignas(sink_place) static unsigned char memory[sizeof(sink_place)];
    static sink_place* const place = new (memory) sink_place;
    return *place;
}

constinit std::atomic<decltype(clocks::wall)> wall_clock{nullptr};
constinit std::atomic<decltype(clocks::monotonic)> monotonic_clock{nullptr};

void append_text(std::string& out, std::string_view text) {
    rill::detail::append_escaped(out, text.substr(0, text_limit));
    if (text.size() > text_limit) out += "...";
}

// Bare where a reader cannot take it for something else, else in quotes.
void append_value(std::string& out, std::string_view text) {
    auto const is_plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("-._:/@+[]%").find(c) != std::string_view::npos;
    };
    bool const bare =
        !text.empty() && text.size() <= text_limit && std::ranges::all_of(text, is_plain);
    if (bare) {
        out += text;
        return;
    }
    out += '"';
    append_text(out, text);
    out += '"';
}

void append_field(std::string& out, field const& one) {
    auto const into = std::back_inserter(out);
    out += ' ';
    append_text(out, one.name());
    out += '=';
    switch (one.type()) {
        case field::kind::text:
            append_value(out, one.text());
            break;
        case field::kind::integer:
            fmt::format_to(into, "{}", one.integer());
            break;
        case field::kind::natural:
            fmt::format_to(into, "{}", one.natural());
            break;
        case field::kind::real:
            fmt::format_to(into, "{}", one.real());
            break;
        case field::kind::boolean:
            out += one.natural() != 0 ? "true" : "false";
            break;
        case field::kind::length:
            fmt::format_to(into, "{:.3f}ms", static_cast<double>(one.integer()) / 1e6);
            break;
        case field::kind::code:
            append_value(out, fmt::format("{} ({}:{})", one.code().message(),
                                          one.code().category().name(), one.code().value()));
            break;
    }
}

// ISO 8601 in UTC with microseconds.
void append_time(std::string& out, std::chrono::system_clock::time_point when) {
    using namespace std::chrono;
    auto const date = floor<days>(when);
    year_month_day const ymd(date);
    hh_mm_ss const time(floor<microseconds>(when - date));
    fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                   static_cast<int>(ymd.year()), static_cast<unsigned>(ymd.month()),
                   static_cast<unsigned>(ymd.day()), time.hours().count(), time.minutes().count(),
                   time.seconds().count(), time.subseconds().count());
}

level initial_level() noexcept {
    char const* const text = std::getenv("RILL_LOG");
    if (text == nullptr || *text == '\0') return level::info;
    if (std::optional<level> const named = parse_level(text)) return *named;
    write(level::warn, "RILL_LOG is not a level (trace, debug, info, warn, error, off); using info",
          {{"RILL_LOG", text}});
    return level::info;
}

// Until this has run, in the constructors of other globals, the level is info.
[[maybe_unused]] bool const environment_is_read = (set_level(initial_level()), true);

}  // namespace

namespace detail {

constinit std::atomic<level> threshold{level::info};

time_point monotonic_now() noexcept {
    auto const clock = monotonic_clock.load(std::memory_order_relaxed);
    return clock != nullptr ? clock() : std::chrono::steady_clock::now();
}

}  // namespace detail

void set_clocks(clocks from) noexcept {
    wall_clock.store(from.wall, std::memory_order_relaxed);
    monotonic_clock.store(from.monotonic, std::memory_order_relaxed);
}

std::optional<level> parse_level(std::string_view text) noexcept {
    auto const found = std::ranges::find(level_names, text);
    if (found == level_names.end()) return std::nullopt;
    return static_cast<level>(found - level_names.begin());
}

void set_sink(sink to) {
    auto next = to ? std::make_shared<sink const>(std::move(to)) : nullptr;
    sink_place& place = the_sink();
    std::lock_guard const lock(place.mutex);
    place.current.swap(next);
}

std::string to_line(record const& what) {
    std::string out;
    out.reserve(256);
    append_time(out, what.time);
    fmt::format_to(std::back_inserter(out), " {:<5} ",
                   level_names[static_cast<std::size_t>(what.severity)]);
    append_text(out, what.message);
    for (field const& one : what.fields) append_field(out, one);
    if (what.suppressed != 0) append_field(out, {"suppressed", what.suppressed});
    out += '\n';
    return out;
}

void write(level severity, std::string_view message, std::initializer_list<field> fields,
           std::uint64_t suppressed) noexcept {
    try {
        auto const clock = wall_clock.load(std::memory_order_relaxed);
        record const what{
            .time = clock != nullptr ? clock() : std::chrono::system_clock::now(),
            .severity = severity,
            .message = message,
            .fields = std::span<field const>(fields.begin(), fields.size()),
            .suppressed = suppressed,
        };
        sink_place& place = the_sink();
        std::shared_ptr<sink const> to;
        {
            std::lock_guard const lock(place.mutex);
            to = place.current;
        }
        if (to) {
            (*to)(what);
            return;
        }
        std::string const line = to_line(what);
        // One call per line: lines of several threads and processes do not mix.
        static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    } catch (...) {
        // Out of memory, or a sink that throws: the program goes on without this line.
    }
}

}  // namespace rill::log
