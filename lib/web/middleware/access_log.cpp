// Lines of an access log.
#include "rill/web/middleware/access_log.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "http/json_text.hpp"
#include "http/request_access.hpp"
#include "rill/rt/core.hpp"
#include "rill/web/middleware/request_id.hpp"
#include "rill/web/middleware/trace_context.hpp"
#include "rill/web/middleware/user.hpp"

namespace rill::web {

namespace {

// A line of the usual length needs no heap.
using line = fmt::basic_memory_buffer<char, 1024>;

void append(line& to, std::string_view text) {
    to.append(text.data(), text.data() + text.size());
}

// Text between quotes: what is no printable ASCII, and quotes and backslashes, as \xHH.
void append_escaped(line& to, std::string_view text) {
    if (text.empty()) to.push_back('-');
    for (char const c : text.substr(0, access_log::longest_text)) {
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
            to.push_back(c);
        } else {
            fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
}

// A moment in the parts that both formats write.
struct broken_down {
    explicit broken_down(std::chrono::system_clock::time_point when)
        : day(std::chrono::floor<std::chrono::days>(when)),
          date(day),
          clock(std::chrono::floor<std::chrono::microseconds>(when - day)) {}
    std::chrono::sys_days day;
    std::chrono::year_month_day date;
    std::chrono::hh_mm_ss<std::chrono::microseconds> clock;
};

// "01/Dec/2026:11:22:33 +0000"
void append_time(line& to, broken_down const& at) {
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    auto const month = static_cast<unsigned>(at.date.month());
    fmt::format_to(std::back_inserter(to), "{:02}/{}/{:04}:{:02}:{:02}:{:02} +0000",
                   static_cast<unsigned>(at.date.day()), months.substr(3 * (month - 1), 3),
                   static_cast<int>(at.date.year()), at.clock.hours().count(),
                   at.clock.minutes().count(), at.clock.seconds().count());
}

std::string client_of(http::request const& req) {
    address const client = req.client().address;
    return client.kind() == address::family::none ? "-" : client.host();
}

line common_line(http::request const& req, http::finished const& how, bool combined) {
    line text;
    append(text, client_of(req));
    append(text, " - ");
    // What a user is called has no place for a space here.
    std::size_t const user_at = text.size();
    append_escaped(text, user_of(req));
    for (std::size_t i = user_at; i < text.size(); ++i) {
        if (text[i] == ' ') text[i] = '_';
    }
    append(text, " [");
    append_time(text, broken_down(core::current().wall_now()));
    append(text, "] \"");
    append_escaped(text, req.method_text());
    append(text, " ");
    append_escaped(text, req.target());
    fmt::format_to(std::back_inserter(text), " HTTP/1.{}\" {} {}",
                   http::detail::request_access::minor_version(req), how.status, how.body_bytes);
    if (combined) {
        append(text, " \"");
        append_escaped(text, req.header("referer"));
        append(text, "\" \"");
        append_escaped(text, req.header("user-agent"));
        append(text, "\"");
    }
    append(text, "\n");
    return text;
}

std::string json_line(http::request const& req, http::finished const& how, duration length) {
    std::string text;
    auto const put = [&text](std::string_view name, std::string_view value) {
        if (value.empty()) return;
        text.append(",\"").append(name).append("\":");
        http::append_json_string(text, value.substr(0, access_log::longest_text));
    };
    broken_down const at(core::current().wall_now());
    fmt::format_to(
        std::back_inserter(text), "{{\"time\":\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z\"",
        static_cast<int>(at.date.year()), static_cast<unsigned>(at.date.month()),
        static_cast<unsigned>(at.date.day()), at.clock.hours().count(), at.clock.minutes().count(),
        at.clock.seconds().count(), at.clock.subseconds().count());
    put("client", client_of(req));
    put("user", user_of(req));
    put("method", req.method_text());
    put("host", req.host());
    put("target", req.target());
    fmt::format_to(
        std::back_inserter(text), ",\"status\":{},\"bytes\":{},\"microseconds\":{},\"whole\":{}",
        how.status, how.body_bytes,
        std::chrono::duration_cast<std::chrono::microseconds>(length).count(), how.whole);
    put("referer", req.header("referer"));
    put("agent", req.header("user-agent"));
    put("request", request_id_of(req));
    if (trace const* const of = trace_of(req)) put("trace", of->trace_id);
    return text += "}\n";
}

void write_out(std::string_view text) {
    // One call for each line: the stream's own lock keeps them apart.
    static_cast<void>(std::fwrite(text.data(), 1, text.size(), stdout));
}

}  // namespace

access_log::access_log(log_format format) : access_log(format, write_out) {}

access_log::access_log(log_format format, sink to)
    : to_(std::make_shared<sink const>(std::move(to))), format_(format) {}

std::optional<http::response> access_log::before(http::request& req) const {
    // The router, and so the sink, outlives its requests.
    req.on_finish([to = to_.get(), format = format_, begin = core::current().clock()](
                      http::request const& of, http::finished const& how) noexcept {
        duration const length = core::current().clock() - begin;
        if (format == log_format::json) {
            (*to)(json_line(of, how, length));
        } else {
            line const text = common_line(of, how, format == log_format::combined);
            (*to)({text.data(), text.size()});
        }
    });
    return std::nullopt;
}

}  // namespace rill::web
