// Registration, and what freezing makes of it.
#include "web/route_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "rill/base/error.hpp"
#include "web/own_answers.hpp"

namespace rill::web::detail {

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

[[noreturn]] void refuse(std::string_view what, std::string_view on, std::string_view advice) {
    throw error(std::make_error_code(std::errc::invalid_argument), what, on, advice);
}
[[noreturn]] void refuse(route_info const& info, std::string_view advice) {
    refuse("register route", described(info), advice);
}

// A plain answer is one of a burst, which is sent as a whole. That of a route with a rate is sent
// alone, and so comes from a coroutine.
task<http::response> answer_plainly(void const* object, http::request& req) {
    auto const& answer = *static_cast<http::handler const*>(object);
    co_return answer.plain(answer.object, req);
}

// Leaves the request a way to what `app.state` has made.
struct state_guide {
    state_list const* list;
    std::optional<http::response> operator()(http::request& req) const {
        req.attach(state_place{list});
        return std::nullopt;
    }
};

void append(std::vector<middleware_entry>& to, std::vector<middleware_entry> const& more) {
    to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

void route_table::check_open(std::string_view what, std::source_location const& where) const {
    if (frozen) refuse(what, place_of(where), "fill the router before the server starts");
}

void route_table::add(route added) {
    if (frozen) refuse(added.info, "register routes before the server starts");
    if (added.info.method == http::method::other) refuse(added.info, "use any()");
    bool const is_prefix_itself = is_nested && added.info.pattern.empty();
    if (!is_prefix_itself) {
        if (char const* const wrong = parse_pattern(added.info.pattern, added.parsed)) {
            refuse(added.info, wrong);
        }
    }
    auto& taken = shapes_[added.parsed.shape];
    auto const index = static_cast<route_index>(routes.size());
    auto const [at, is_new] = taken.try_emplace(added.info.method, index);
    if (!is_new) {
        refuse(added.info, "the same requests go to " + described(routes[at->second].info));
    }
    routes.push_back(std::move(added));
}

router& route_table::add_group(std::string_view prefix, router inside,
                               std::source_location const& where) {
    std::string const on = fmt::format("{} at {}", prefix, place_of(where));
    if (frozen) refuse("make a group of routes", on, "fill the router before the server starts");
    inside.table_->check_open("mount a router", where);
    pattern parsed;
    char const* wrong = prefix.empty() ? nullptr : parse_pattern(prefix, parsed);
    if (wrong == nullptr && prefix.ends_with('/')) wrong = "a prefix does not end in a slash";
    if (wrong != nullptr) refuse("make a group of routes", on, wrong);
    inside.table_->is_nested = true;
    return nested_.emplace_back(nested{std::string(prefix), {}, where, std::move(inside)}).inside;
}

router& route_table::add_host(std::string_view host, std::source_location const& where) {
    std::string const on = fmt::format("{} at {}", host, place_of(where));
    if (frozen) refuse("make a host's router", on, "fill the router before the server starts");
    std::array<char, longest_host> memory;
    auto const name = plain_host(host, memory);
    std::size_t const size = host.size() - (host.ends_with('.') ? 1 : 0);
    bool const is_whole = name && name->size() == size;  // nothing of it is a port
    if (!is_whole || name->find_first_of("/ ") != std::string_view::npos ||
        name->substr(name->starts_with("*.") ? 2 : 0).find('*') != std::string_view::npos) {
        refuse("make a host's router", on, "a host is a name, or *. and a name, without a port");
    }
    for (nested const& each : nested_) {
        if (each.host == *name) {
            refuse("make a host's router", on, "it has one from " + place_of(each.where));
        }
    }
    return nested_.emplace_back(nested{{}, std::string(*name), where, router()}).inside;
}

void route_table::list(std::vector<route_info>& into, std::string const& prefix,
                       std::string const& host) const {
    std::size_t const own = frozen ? own_count_ : routes.size();
    for (std::size_t i = 0; i < own; ++i) {
        route_info& added = into.emplace_back(routes[i].info);
        added.pattern.insert(0, prefix);
        added.host = host;
    }
    for (nested const& each : nested_) {
        if (each.host.empty()) each.inside.table_->list(into, prefix + each.prefix, host);
    }
    for (nested const& each : nested_) {
        if (!each.host.empty()) each.inside.table_->list(into, prefix, each.host);
    }
}

void route_table::freeze() {
    if (!frozen) freeze_in({});
}

void route_table::freeze_in(surroundings const& outside) {
    surroundings const inside = close(outside, {});
    for (route& each : routes) {
        each.around.insert(each.around.begin(), inside.around.begin(), inside.around.end());
        each.pages = inside.pages;
    }
    frozen = false;  // for the routes of groups
    for (nested& each : nested_) {
        if (!each.host.empty()) continue;
        gather(*each.inside.table_, each.inside.table_->close(inside, each.prefix));
    }
    freeze_hosts(inside);
    freeze_tree();
    freeze_routes();
    freeze_own(inside);
    frozen = true;
}

route_table::surroundings route_table::close(surroundings const& outside, std::string_view prefix) {
    own_count_ = routes.size();
    frozen = true;
    surroundings inside = outside;
    inside.prefix.append(prefix);
    if (!states.entries.empty()) {
        states.outside = outside.states;
        inside.states = &states;
        inside.around.push_back(middleware_from(state_guide{&states}));
    }
    if (!pages.by_status.empty()) {
        pages.outside = outside.pages;
        inside.pages = &pages;
    }
    append(inside.around, used);
    return inside;
}

// Takes the routes of a group, and of the groups in it.
void route_table::gather(route_table& from, surroundings const& inside) {
    for (route const& each : from.routes) {
        route copy = each;
        copy.info.pattern.insert(0, inside.prefix);
        copy.parsed = {};
        copy.around = inside.around;
        append(copy.around, each.around);
        copy.pages = inside.pages;
        add(std::move(copy));
    }
    for (nested& each : from.nested_) {
        if (!each.host.empty()) {
            refuse("make a host's router", fmt::format("{} at {}", each.host, place_of(each.where)),
                   "hosts belong to the outermost router");
        }
        gather(*each.inside.table_, each.inside.table_->close(inside, each.prefix));
    }
}

void route_table::freeze_hosts(surroundings const& inside) {
    for (nested& each : nested_) {
        if (each.host.empty()) continue;
        route_table& table = *each.inside.table_;
        bool const has_hosts = std::any_of(table.nested_.begin(), table.nested_.end(),
                                           [](nested const& one) { return !one.host.empty(); });
        if (has_hosts) {
            refuse("make a host's router", fmt::format("{} at {}", each.host, place_of(each.where)),
                   "hosts belong to the outermost router");
        }
        table.freeze_in(inside);
        throttles = throttles || table.throttles;
        hosts.add(each.host, &each.inside);
    }
    hosts.sort();
}

void route_table::freeze_tree() {
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
    // Where the host decides first, no path may be found without it.
    tree = route_tree(entries, std::move(in_order), hosts.empty());
}

void route_table::freeze_routes() {
    std::size_t count = 0;
    for (route const& r : routes) count += r.parsed.names.size();
    names_.reserve(count);  // so that the pointers below stay good
    for (route const& r : routes) {
        http::handler answer = r.answer;
        // The innermost bound counts: a route's own before that of middleware.
        route_options allowed;
        for (middleware_entry const& each : r.around) {
            if (each.functions->limits == nullptr) continue;
            each.functions->limits(each.owner.get(), allowed);
        }
        if (r.limits.body_bytes != 0) allowed.body_bytes = r.limits.body_bytes;
        if (r.limits.body_timeout != 0s) allowed.body_timeout = r.limits.body_timeout;
        if (r.limits.handler_timeout != 0s) allowed.handler_timeout = r.limits.handler_timeout;
        if (r.limits.most_requests != 0) allowed.most_requests = r.limits.most_requests;
        if (r.limits.read_rate != 0) allowed.read_rate = r.limits.read_rate;
        if (r.limits.write_rate != 0) allowed.write_rate = r.limits.write_rate;
        if (allowed != route_options{}) answer.bounds = &bounds_.emplace_back(allowed);
        if (answer.bounds != nullptr && answer.bounds->throttles()) {
            throttles = true;
            answer.ready = nullptr;
            if (answer.is_plain()) answer = made_to_wait(answer);
        }
        answer = layers_.wrap(answer, r.around, r.pages);
        frozen_routes.push_back({answer, names_.data() + names_.size(),
                                 static_cast<std::uint32_t>(r.parsed.names.size())});
        names_.insert(names_.end(), r.parsed.names.begin(), r.parsed.names.end());
    }
}

http::handler route_table::made_to_wait(http::handler const& answer) {
    http::handler waiting = answer;
    waiting.object = &plain_.emplace_back(answer);
    waiting.plain = nullptr;
    waiting.coroutine = &answer_plainly;
    return waiting;
}

void route_table::freeze_own(surroundings const& inside) {
    auto const wrap = [&](http::handler own, route const* of) {
        error_pages const* const shown = inside.pages;
        http::handler answer = own;
        if (shown != nullptr) answer = layers_.wrap_own(own, shown);
        return layers_.wrap(answer, of == nullptr ? inside.around : of->around, nullptr);
    };
    not_found = wrap(own_not_found, nullptr);
    bad_path = wrap(own_bad_path, nullptr);
    unknown_method = wrap(own_unknown_method, nullptr);
    any_path = {wrap(own_wrong_method, nullptr), wrap(own_list_methods, nullptr)};
    for (route const& each : routes) {
        known_paths.push_back({wrap(own_wrong_method, &each), wrap(own_list_methods, &each)});
    }
}

}  // namespace rill::web::detail
