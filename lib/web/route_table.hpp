// What a router holds: filled by registration, flattened and wrapped when it is frozen.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "rill/web/router.hpp"
#include "web/host_names.hpp"
#include "web/layers.hpp"
#include "web/pattern.hpp"
#include "web/route_tree.hpp"

namespace rill::web::detail {

struct route {
    route_info info;
    pattern parsed;
    http::handler answer;
    route_options limits;
    std::shared_ptr<void const> owner;
    std::vector<middleware_entry> around;  // from `freeze` on, all of it
    error_pages const* pages = nullptr;
};

// What a request needs of a route, close together.
struct frozen_route {
    http::handler answer;
    std::string_view const* names;
    std::uint32_t name_count;
};

// What a router says by itself where a path is known.
struct known_path {
    http::handler wrong_method;
    http::handler list_methods;
};

class route_table {
public:
    // A router inside this one.
    struct nested {
        std::string prefix;
        std::string host;  // or this
        std::source_location where;
        router inside;
    };

    void add(route added);
    router& add_group(std::string_view prefix, router inside, std::source_location const& where);
    router& add_host(std::string_view host, std::source_location const& where);
    void check_open(std::string_view what, std::source_location const& where) const;
    void freeze();
    void list(std::vector<route_info>& into, std::string const& prefix,
              std::string const& host) const;

    std::vector<route> routes;
    std::vector<middleware_entry> used;
    error_pages pages;
    state_list states;
    bool is_nested = false;

    // Filled by `freeze`, and unchanged from then on.
    route_tree tree;
    std::vector<frozen_route> frozen_routes;  // as many as routes
    std::vector<known_path> known_paths;      // as many as routes
    known_path any_path;                      // OPTIONS *
    http::handler not_found;
    http::handler bad_path;
    http::handler unknown_method;
    host_names hosts;
    std::uint64_t all_methods = 0;
    bool frozen = false;
    bool throttles = false;  // some route has a rate of its own

private:
    // What holds around the routes of a router.
    struct surroundings {
        std::string prefix;
        std::vector<middleware_entry> around;
        error_pages const* pages = nullptr;
        state_list const* states = nullptr;
    };
    void freeze_in(surroundings const& outside);
    // Closes the table and returns what holds around its routes.
    surroundings close(surroundings const& outside, std::string_view prefix);
    void gather(route_table& from, surroundings const& inside);
    void freeze_hosts(surroundings const& inside);
    void freeze_tree();
    void freeze_routes();
    [[nodiscard]] http::handler made_to_wait(http::handler const& answer);
    void freeze_own(surroundings const& inside);

    std::deque<nested> nested_;                // whose addresses stay
    std::vector<std::string_view> names_;      // of all routes; views of `routes`
    std::deque<http::handler_bounds> bounds_;  // of the routes that have their own
    std::deque<http::handler> plain_;          // that are called by a coroutine
    layers layers_;
    std::size_t own_count_ = 0;  // of `routes`, those that were registered here
    using by_method = std::map<std::optional<http::method>, route_index>;
    std::map<std::string, by_method> shapes_;
};

}  // namespace rill::web::detail
