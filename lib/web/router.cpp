// Choosing: which handler answers a request.
#include "rill/web/router.hpp"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "http/request_access.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"
#include "web/route_table.hpp"

namespace rill::web {

using http::detail::request_access;

router::router() : table_(std::make_unique<detail::route_table>()) {}
router::router(router&&) noexcept = default;
router& router::operator=(router&&) noexcept = default;
router::~router() = default;

void router::add(route_info info, http::handler answer, route_options const& limits,
                 std::shared_ptr<void const> owner, std::vector<detail::middleware_entry> around) {
    detail::route added;
    added.info = std::move(info);
    added.answer = answer;
    added.limits = limits;
    added.owner = std::move(owner);
    added.around = std::move(around);
    table_->add(std::move(added));
}

void router::add_middleware(detail::middleware_entry added, std::source_location const& where) {
    table_->check_open("use middleware", where);
    table_->used.push_back(std::move(added));
}

router& router::group(std::string_view prefix, std::source_location where) {
    return table_->add_group(prefix, router(), where);
}

router& router::mount(std::string_view prefix, router&& filled, std::source_location where) {
    return table_->add_group(prefix, std::move(filled), where);
}

router& router::host(std::string_view host, std::source_location where) {
    return table_->add_host(host, where);
}

void router::add_page(int status, http::handler says, std::shared_ptr<void const> owner,
                      std::source_location const& where) {
    table_->check_open("set the page of an error", where);
    bool const can_be = status >= 400 && status <= 599 && says.is_plain();
    bool const is_new =
        can_be && table_->pages.by_status
                      .try_emplace(static_cast<unsigned>(status),
                                   detail::error_pages::page{std::move(owner), says})
                      .second;
    if (is_new) return;
    throw error(
        std::make_error_code(std::errc::invalid_argument), "set the page of an error",
        fmt::format("{} at {}:{}", status, where.file_name(), where.line()),
        can_be ? "it has one already" : "errors are 400 to 599, and a page answers without a wait");
}

void router::add_state(rill::detail::type_key type, std::shared_ptr<void> object) {
    auto& states = table_->states;
    bool const is_new = detail::state_list{states.entries, nullptr}.find(type) == nullptr;
    if (is_new && !table_->frozen) {
        states.entries.push_back({type, std::move(object)});
        return;
    }
    throw error(std::make_error_code(std::errc::invalid_argument), "keep state", {},
                is_new ? "do so before the server starts" : "the router has one of this type");
}

void router::freeze() {
    table_->freeze();
}

bool router::throttles() const noexcept {
    return table_->throttles;
}

std::vector<route_info> router::routes() const {
    std::vector<route_info> all;
    table_->list(all, {}, {});
    return all;
}

namespace {

// The way of a path that is not the very text of a route.
[[gnu::noinline]] http::handler choose_by_tree(detail::route_table const& table,
                                               http::request& req) {
    if (!table.hosts.empty()) [[unlikely]] {
        router const* const for_host = table.hosts.find(req.host());
        if (for_host != nullptr) return for_host->choose(req);
    }
    std::optional<std::string_view> const path = request_access::canonical_path(req);
    if (!path) return table.bad_path;
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
    bool const lists = req.method() == http::method::options;
    if (lists && *path == "*") {
        request_access::allowed_methods(req) = table.all_methods;
        return table.any_path.list_methods;
    }
    request_access::allowed_methods(req) = wanted.allowed;
    if (lists && wanted.allowed != 0) return table.known_paths[wanted.known].list_methods;
    // RFC 9110 section 9.1: 405 is for methods that are known. Nobody here opens tunnels.
    if (req.method() == http::method::other || req.method() == http::method::connect) {
        return table.unknown_method;
    }
    return wanted.allowed == 0 ? table.not_found : table.known_paths[wanted.known].wrong_method;
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
