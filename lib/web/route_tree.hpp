// The frozen search tree of a router: shapes of patterns to routes.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rill/http/method.hpp"
#include "rill/http/request.hpp"
#include "web/text_routes.hpp"

namespace rill::web {

using route_index = std::uint32_t;

// The routes of one shape, by method.
struct endpoint {
    std::uint64_t methods = 0;  // a bit for each method with a route of its own
    std::uint32_t first = 0;    // its routes in route_tree::by_method_, in the order of the bits
    route_index any_method = none;
};

// A radix tree over the canonical spelling of paths, in three flat arrays, and in front of it a
// table of the shapes that are all text: they are the most specific ones, and most requests are for
// one of them.
//
// A node stands behind a run of text or a parameter. Children by text are neighbours in
// the array, and no two start with the same byte, so one byte chooses the only child that can fit.
// A parameter hangs below a node whose text ends in a slash, because patterns take whole segments.
//
// Searching goes depth first: text, then parameter, then wildcard. That is the order of being
// specific, so the first route found is the most specific one. A node stands for one beginning of
// a pattern and is reached in one way only, so a search visits each node once at most: no path
// makes it take longer than the size of the tree.
class route_tree {
public:
    struct entry {
        std::string_view shape;
        endpoint ends;
    };
    route_tree() = default;
    // Each shape comes once. Without `by_text` nothing is found by `find_text`.
    route_tree(std::vector<entry> const& entries, std::vector<route_index> by_method,
               bool by_text = true);

    struct search {
        std::string_view path;
        http::method method;
        http::detail::span_of_text* values;  // room for path_parameters::max_count
        std::uint64_t allowed = 0;           // methods of the routes that fit the path only
        route_index known = none;            // the first of them, where any are allowed
    };
    // The most specific route for path and method, or `none`; fills `values` in the pattern's
    // order.
    [[nodiscard]] route_index find(search& wanted) const noexcept;
    // As `find`, where the path is the very text of a shape; else `none`, which says nothing.
    [[nodiscard]] route_index find_text(std::string_view path, http::method method) const noexcept {
        text_route const* const found = texts_.find(path);
        if (found == nullptr) return none;
        return method == http::method::get ? found->get
                                           : route_of(endpoints_.data()[found->end], method);
    }

private:
    struct node {
        std::uint32_t text = 0;  // in text_; the first byte is in first_bytes_ too
        std::uint16_t text_size = 0;
        std::uint16_t child_count = 0;
        std::uint32_t first_child = 0;
        std::uint32_t parameter = none;
        std::uint32_t wildcard = none;  // endpoints
        std::uint32_t end = none;
        bool is_text_only = true;  // no parameter and no wildcard: one way on at most
    };
    struct branch;
    [[nodiscard]] route_index descend(search& wanted, node const* here, char const* next,
                                      std::uint32_t count) const noexcept;
    [[nodiscard]] node const* child_for(node const& parent, char const* at,
                                        char const* end) const noexcept;
    [[nodiscard]] route_index pick(search& wanted, std::uint32_t at) const noexcept;
    // The route of an endpoint that is the method's own, or `none`.
    [[nodiscard]] route_index route_of(endpoint const& here, http::method method) const noexcept {
        auto const bit = std::uint64_t{1} << static_cast<unsigned>(method);
        if ((here.methods & bit) == 0) return none;
        std::uint64_t const before = here.methods & (bit - 1);
        auto const rank = before == 0 ? 0 : static_cast<std::uint32_t>(std::popcount(before));
        return by_method_.data()[here.first + rank];
    }
    void insert(branch& root, std::string_view shape, std::uint32_t end);
    void emit(branch const& from, std::uint32_t to);

    text_routes texts_;
    std::vector<node> nodes_;        // first the one behind the slash that starts every path
    std::vector<char> first_bytes_;  // as many as nodes_
    std::string text_;
    std::vector<endpoint> endpoints_;
    std::vector<route_index> by_method_;
};

}  // namespace rill::web
