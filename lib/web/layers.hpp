// How handlers are wrapped in middleware: once, when a router is frozen.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>

#include "rill/http/handler.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web::detail {

// What a router answers errors with, in place of the answers that it has by itself.
struct error_pages {
    struct page {
        std::shared_ptr<void const> owner;
        http::handler says;  // plain
    };
    std::map<unsigned, page> by_status;
    error_pages const* outside = nullptr;  // of the router around this one

    // The page for that status, or null.
    [[nodiscard]] page const* find(unsigned status) const noexcept;
};

// Puts the page for its status in place of an error's body, if there is one. Fields stay.
void put_page(error_pages const* pages, http::request& req, http::response& answer);

// One wrapping of one handler.
struct layer {
    void const* object = nullptr;  // the middleware; null where only failures are caught
    middleware_functions const* functions = nullptr;
    http::handler inside;
    error_pages const* pages = nullptr;
};

// Owns layers. Handlers that it gives are good as long as it is.
class layers {
public:
    // `handler` with `around` around it, the first outermost. What it, and any of them, throws is
    // turned into an answer where it comes from. Nothing around it and no pages: itself.
    http::handler wrap(http::handler handler, std::span<middleware_entry const> around,
                       error_pages const* pages);

    // An error that the router itself answers with, and the page for it.
    http::handler wrap_own(http::handler own, error_pages const* pages);

private:
    http::handler put(http::handler inside, middleware_entry const* around,
                      error_pages const* pages);

    std::deque<layer> all_;
};

}  // namespace rill::web::detail
