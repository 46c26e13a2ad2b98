// Registration, freezing, and the answers that a router gives by itself.
#include "rill/web/router.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <system_error>

#include "http/request_access.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"
#include "web/pattern.hpp"
#include "web/route_tree.hpp"

namespace rill::web {

using http::detail::request_access;

namespace detail {

struct route {
    route_info info;
    pattern parsed;
    http::handler answer;
    route_options limits;
    std::shared_ptr<void const> owner;
};

// What a request needs of a route, close together.
struct frozen_route {
    http::handler answer;
    std::string_view const* names;
    std::uint32_t name_count;
};

class route_table {
public:
    void add(route added);
    void freeze();

    std::vector<route> routes;
    // Filled by `freeze`, and unchanged from then on.
    route_tree tree;
    std::vector<frozen_route> frozen_routes;  // as many as routes
    std::uint64_t all_methods = 0;
    bool frozen = false;
    bool throttles = false;

private:
    void freeze_routes();
    [[nodiscard]] http::handler made_to_wait(http::handler const& answer);

    std::vector<std::string_view> names_;      // of all routes; views of `routes`
    std::deque<http::handler_bounds> bounds_;  // of the routes that have their own
    std::deque<http::handler> plain_;          // that are called by a coroutine
    using by_method = std::map<std::optional<http::method>, route_index>;
    std::map<std::string, by_method> shapes_;
};

namespace {

std::string place_of(std::source_location const& where) {
    return fmt::format("{}:{}", where.file_name(), where.line());
}

std::string_view method_text(std::optional<http::method> method) {
    return method ? http::name_of(*method) : "any method";
}

// "GET /users/{id} at main.cpp:12"
std::string described(route_info const& info) {
    return fmt::format("{} {} at {}", method_text(info.method), info.pattern, place_of(info.where));
}

[[noreturn]] void refuse(route_info const& info, std::string_view advice) {
    throw error(std::make_error_code(std::errc::invalid_argument), "register route",
                described(info), advice);
}

constexpr std::uint64_t bit_of(http::method method) noexcept {
    return std::uint64_t{1} << static_cast<unsigned>(method);
}

// "GET, HEAD, OPTIONS"
std::string allow_text(std::uint64_t methods) {
    if ((methods & bit_of(http::method::get)) != 0) methods |= bit_of(http::method::head);
    methods |= bit_of(http::method::options);
    std::string text;
    for (unsigned i = 0; i < static_cast<unsigned>(http::method::other); ++i) {
        if ((methods >> i & 1U) == 0) continue;
        if (!text.empty()) text += ", ";
        text += http::name_of(static_cast<http::method>(i));
    }
    return text;
}

// The answers of the router itself. They allocate nothing, but for Allow.
http::response not_found(void const*, http::request&) {
    return http::content(http::literal("Not Found\n"), http::content_types::text,
                         http::status::not_found);
}
http::response bad_path(void const*, http::request&) {
    return http::content(http::literal("Bad Request: a '%' in the path without two digits\n"),
                         http::content_types::text, http::status::bad_request);
}
http::response wrong_method(void const*, http::request& req) {
    http::response answer =
        http::content(http::literal("Method Not Allowed\n"), http::content_types::text,
                      http::status::method_not_allowed);
    answer.headers().set("Allow", allow_text(request_access::allowed_methods(req)));
    return answer;
}
http::response unknown_method(void const*, http::request&) {
    return http::content(http::literal("Not Implemented\n"), http::content_types::text,
                         http::status::not_implemented);
}
http::response list_methods(void const*, http::request& req) {
    http::response answer(http::status::no_content);
    answer.headers().set("Allow", allow_text(request_access::allowed_methods(req)));
    return answer;
}

}  // namespace

// A plain answer is one of a burst, which is sent as a whole. That of a route with a rate is sent
// alone, and so comes from a coroutine.
task<http::response> answer_plainly(void const* object, http::request& req) {
    auto const& answer = *static_cast<http::handler const*>(object);
    co_return answer.plain(answer.object, req);
}

http::handler route_table::made_to_wait(http::handler const& answer) {
    http::handler waiting = answer;
    waiting.object = &plain_.emplace_back(answer);
    waiting.plain = nullptr;
    waiting.coroutine = &answer_plainly;
    return waiting;
}

void route_table::add(route added) {
    if (frozen) refuse(added.info, "register routes before the server starts");
    if (added.info.method == http::method::other) refuse(added.info, "use any()");
    if (char const* const wrong = parse_pattern(added.info.pattern, added.parsed)) {
        refuse(added.info, wrong);
    }
    auto& taken = shapes_[added.parsed.shape];
    auto const index = static_cast<route_index>(routes.size());
    auto const [at, is_new] = taken.try_emplace(added.info.method, index);
    if (!is_new) {
        refuse(added.info, "the same requests go to " + described(routes[at->second].info));
    }
    routes.push_back(std::move(added));
}

void route_table::freeze_routes() {
    std::size_t count = 0;
    for (route const& r : routes) count += r.parsed.names.size();
    names_.reserve(count);  // so that the pointers below stay good
    for (route const& r : routes) {
        http::handler answer = r.answer;
        route_options const& own = r.limits;
        if (own != route_options{}) answer.bounds = &bounds_.emplace_back(own);
        if (answer.bounds != nullptr && answer.bounds->throttles()) {
            throttles = true;
            answer.ready = nullptr;
            if (answer.is_plain()) answer = made_to_wait(answer);
        }
        frozen_routes.push_back({answer, names_.data() + names_.size(),
                                 static_cast<std::uint32_t>(r.parsed.names.size())});
        names_.insert(names_.end(), r.parsed.names.begin(), r.parsed.names.end());
    }
}

void route_table::freeze() {
    if (frozen) return;
    std::vector<route_tree::entry> entries;
    std::vector<route_index> in_order;
    for (auto const& [shape, methods] : shapes_) {
        endpoint ends{.first = static_cast<std::uint32_t>(in_order.size())};
        for (auto const& [method, index] : methods) {
            if (method) {
                ends.methods |= bit_of(*method);
                in_order.push_back(index);
            } else {
                ends.any_method = index;
            }
        }
        all_methods |= ends.methods;
        entries.push_back({shape, ends});
    }
    tree = route_tree(entries, std::move(in_order));
    freeze_routes();
    frozen = true;
}

}  // namespace detail

router::router() : table_(std::make_unique<detail::route_table>()) {}
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;
router::~router() = default;

void router::add(std::optional<http::method> method, std::string_view text, http::handler answer,
                 route_options const& limits, std::shared_ptr<void const> owner,
                 std::source_location where) {
    detail::route added;
    added.info = {method, std::string(text), where};
    added.answer = answer;
    added.limits = limits;
    added.owner = std::move(owner);
    table_->add(std::move(added));
}

void router::freeze() {
    table_->freeze();
}

bool router::throttles() const noexcept {
    return table_->throttles;
}

std::vector<route_info> router::routes() const {
    std::vector<route_info> list;
    list.reserve(table_->routes.size());
    for (detail::route const& r : table_->routes) list.push_back(r.info);
    return list;
}

namespace {

// What the router says by itself needs no content.
constexpr http::handler own_answer(http::handler::plain_function says) noexcept {
    return {.plain = says, .content = http::content_mode::unwanted};
}

// The way of a path that is not the very text of a route.
[[gnu::noinline]] http::handler choose_by_tree(detail::route_table const& table,
                                               http::request& req) {
    std::optional<std::string_view> const path = request_access::canonical_path(req);
    if (!path) return own_answer(detail::bad_path);
    http::detail::path_parameters& parameters = request_access::parameters(req);
    route_tree::search wanted{.path = *path, .method = req.method(), .values = parameters.values};
    route_index const found = table.tree.find(wanted);
    if (found != none) {
        detail::frozen_route const& route = table.frozen_routes.data()[found];
        parameters.names = route.names;
        parameters.count = route.name_count;
        return route.answer;
    }
    parameters.count = 0;
    if (req.method() == http::method::options && *path == "*") wanted.allowed = table.all_methods;
    request_access::allowed_methods(req) = wanted.allowed;
    if (req.method() == http::method::options && (wanted.allowed != 0 || *path == "*")) {
        return own_answer(detail::list_methods);
    }
    // RFC 9110 section 9.1: 405 is for methods that are known. Nobody here opens tunnels.
    if (req.method() == http::method::other || req.method() == http::method::connect) {
        return own_answer(detail::unknown_method);
    }
    return own_answer(wanted.allowed == 0 ? detail::not_found : detail::wrong_method);
}

}  // namespace

http::handler router::choose(http::request& req) const {
    detail::route_table const& table = *table_;
    RILL_ASSERT(table.frozen, "freeze the router before it is asked");
    // A path without a '%' is in its canonical spelling.
    if (!request_access::has_percent(req)) [[likely]] {
        route_index const found = table.tree.find_text(req.encoded_path(), req.method());
        if (found != none) [[likely]] {
            request_access::parameters(req).count = 0;
            return table.frozen_routes.data()[found].answer;
        }
    }
    return choose_by_tree(table, req);
}

}  // namespace rill::web
