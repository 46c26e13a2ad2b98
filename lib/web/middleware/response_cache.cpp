// A shared cache in front of handlers. RFC 9111 sections 3 to 5.
#include "rill/web/middleware/response_cache.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "http/whole_list.hpp"
#include "rill/codec/http_date.hpp"
#include "rill/codec/http_fields.hpp"
#include "rill/coro/as_result.hpp"
#include "rill/http/problem.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/per_core.hpp"
#include "web/conditions.hpp"
#include "web/middleware/answer_store.hpp"
#include "web/middleware/control_of.hpp"

namespace rill::web {

namespace {

// What one core has had in its hands: a hit here takes no lock.
using core_table = std::array<kept, 512>;

std::size_t place_of(http::request const& req) noexcept {
    std::hash<std::string_view> const hash;
    return (hash(req.host()) * 31 + hash(req.target())) % std::tuple_size_v<core_table>;
}

// No host holds a space.
std::string key_of(http::request const& req) {
    std::string key(req.host());
    return key.append(" ").append(req.target());
}

std::chrono::sys_seconds wall_seconds() noexcept {
    return std::chrono::floor<std::chrono::seconds>(core::current().wall_now());
}

// Section 4.2.1, without guesses: an answer that does not say how long it is fresh is not kept.
std::chrono::seconds lifetime_of(http::response const& answer, codec::cache_control const& says) {
    if (says.shared_max_age) return std::chrono::seconds(*says.shared_max_age);
    if (says.max_age) return std::chrono::seconds(*says.max_age);
    auto const now = wall_seconds();
    auto const expires = codec::parse_http_date(answer.headers().get("expires"), now);
    return expires && *expires > now ? *expires - now : std::chrono::seconds(0);
}

// Section 3.
bool may_keep(http::response const& answer, codec::cache_control const& says) {
    switch (http::code_of(answer.status())) {
        case 200:
        case 203:
        case 301:
        case 308:
        case 404:
        case 410:
            break;
        default:
            return false;
    }
    auto const& body = answer.body();
    bool const in_memory = !std::holds_alternative<http::file_range>(body) &&
                           !std::holds_alternative<http::body_stream>(body) &&
                           !std::holds_alternative<http::upgrade_session>(body);
    return in_memory && !says.no_store && !says.no_cache && !says.is_private &&
           !answer.headers().contains("set-cookie");
}

// Section 4.1. False where no other request gets the same.
bool note_varies(http::request const& req, http::response const& answer, kept_answer& into) {
    for (http::field const each : answer.headers()) {
        if (!http1::equal_ignoring_case(each.name, "vary")) continue;
        http1::list_reader names(each.value);
        while (auto const name = names.next()) {
            if (*name == "*") return false;
            into.varies.emplace_back(*name, http::whole_list(req, *name));
        }
    }
    return true;
}

// What is kept of an answer, whose body is shared from then on; null where nothing is.
kept keep_of(http::request const& req, http::response& answer, std::size_t most) {
    auto const says = control_of(answer.headers());
    auto const lifetime = lifetime_of(answer, says);
    if (lifetime.count() == 0 || !may_keep(answer, says)) return nullptr;
    if (answer.text().size() > most) return nullptr;
    auto made = std::make_shared<kept_answer>();
    if (!note_varies(req, answer, *made)) return nullptr;
    auto const age = http1::parse_length(answer.headers().get("age")).value_or(0);
    if (age >= static_cast<std::uint64_t>(lifetime.count())) return nullptr;
    if (auto* const owned = std::get_if<std::string>(&answer.body())) {
        answer.set_body(std::make_shared<std::string const>(std::move(*owned)),
                        answer.default_content_type());
    }
    auto const* const shared = std::get_if<http::shared_text>(&answer.body());
    made->host = req.host();
    made->target = req.target();
    made->status = answer.status();
    made->type = answer.default_content_type();
    made->body = shared != nullptr ? *shared : std::make_shared<std::string const>(answer.text());
    if (!answer.headers().contains("date")) {
        std::array<char, codec::http_date_size> date{};
        codec::format_http_date(wall_seconds(), date);
        answer.headers().set("date", {date.data(), date.size()});
    }
    made->fields.add(answer.headers());
    made->fields.erase("age");
    made->made = core::current().now() - std::chrono::seconds(age);
    made->stale = made->made + lifetime;
    made->size = sizeof(kept_answer) + 2 * (made->host.size() + made->target.size()) +
                 made->fields.wire().size() + made->body->size();
    return made;
}

http::response answer_from(kept_answer const& from, http::request const& req, time_point now) {
    http::response answer(from.status, from.body, from.type);
    answer.headers().add(from.fields);
    auto const age = std::chrono::floor<std::chrono::seconds>(now - from.made).count();
    answer.headers().set("age", std::to_string(age));
    if (from.status != http::status::ok) return answer;
    auto const today = wall_seconds();
    switch (judge(req, validators_of(answer.headers(), today), today)) {
        case codec::preconditions::verdict::not_modified:
            make_not_modified(answer);
            break;
        case codec::preconditions::verdict::failed:
            return http::response(http::status::precondition_failed);
        case codec::preconditions::verdict::proceed:
            break;
    }
    return answer;
}

// Lets the others begin again where the one that asks is cancelled.
class leading {
public:
    leading(answer_store& store, std::string const& key) noexcept : store_(store), key_(key) {}
    leading(leading const&) = delete;
    leading& operator=(leading const&) = delete;
    ~leading() {
        if (!ended_) store_.end(key_, nullptr, true);
    }
    void end(kept const& made) noexcept {
        ended_ = true;
        store_.end(key_, made, false);
    }

private:
    answer_store& store_;
    std::string const& key_;
    bool ended_ = false;
};

}  // namespace

struct response_cache::parts {
    explicit parts(response_cache_options const& of) : options(of), store(of.bytes) {}
    response_cache_options options;
    answer_store store;
    per_core<core_table> tables;
};

response_cache::response_cache(response_cache_options const& options)
    : parts_(std::make_unique<parts>(options)) {}
response_cache::response_cache(response_cache&&) noexcept = default;
response_cache& response_cache::operator=(response_cache&&) noexcept = default;
response_cache::~response_cache() = default;

task<http::response> response_cache::operator()(http::request& req, next inside) const {
    bool const gets = req.method() == http::method::get;
    auto const asked = control_of(req.headers());
    http::response answer;
    if ((!gets && req.method() != http::method::head) || asked.no_store ||
        req.has_header("authorization") || req.has_header("range")) {
        answer = co_await inside(req);
        // Section 4.4: what has changed something leaves nothing behind.
        unsigned const code = http::code_of(answer.status());
        bool const safe =
            gets || req.method() == http::method::head || req.method() == http::method::options;
        if (!safe && code >= 200 && code < 400) parts_->store.drop(key_of(req));
        co_return answer;
    }
    bool const wants_new = asked.no_cache || asked.max_age == 0U ||
                           (!req.has_header("cache-control") && req.header("pragma") == "no-cache");
    kept& mine = parts_->tables.local()[place_of(req)];
    time_point now = core::current().now();
    if (!wants_new && mine != nullptr && mine->host == req.host() && mine->target == req.target() &&
        mine->fits(req, asked, now)) {
        co_return answer_from(*mine, req, now);
    }
    std::string const key = key_of(req);
    if (!gets && asked.only_if_cached) co_return http::to_response(http::problem(504));
    while (gets && !wants_new) {
        completion<kept> arrived;
        auto const place = parts_->store.join(key, req, asked, now, arrived);
        kept found = place.found;
        if (found == nullptr && asked.only_if_cached) {
            if (place.leads) parts_->store.end(key, nullptr, true);
            co_return http::to_response(http::problem(504));
        }
        if (place.leads) {
            leading turn(parts_->store, key);
            answer = co_await inside(req);
            turn.end(keep_of(req, answer, parts_->options.entry_bytes));
            co_return answer;
        }
        if (found == nullptr) {
            auto const came = co_await as_result(arrived.wait());
            now = core::current().now();
            if (!came) continue;  // the one that asked has given up
            found = *came;
        }
        if (found == nullptr || !found->fits(req, asked, now)) break;
        parts_->tables.local()[place_of(req)] = found;
        co_return answer_from(*found, req, now);
    }
    answer = co_await inside(req);
    if (gets) {
        parts_->store.keep(key, keep_of(req, answer, parts_->options.entry_bytes));
    }
    co_return answer;
}

}  // namespace rill::web
