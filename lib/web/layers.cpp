// The functions that run middleware around a handler.
#include "web/layers.hpp"

#include <exception>
#include <utility>

#include "http/request_access.hpp"
#include "rill/base/assert.hpp"
#include "rill/http/problem.hpp"

namespace rill::web {

using http::detail::request_access;

namespace {

// A handler that may answer at once, in a task.
task<http::response> answer_in_task(http::handler const& inside, http::request& req) {
    if (inside.is_plain()) co_return inside.plain(inside.object, req);
    http::response answer;
    if (inside.ready != nullptr && inside.ready(inside.object, req, answer)) co_return answer;
    answer = co_await inside.coroutine(inside.object, req);
    co_return answer;
}

}  // namespace

task<http::response> next::operator()(http::request& req) const {
    if (inside_->is_coroutine() && inside_->ready == nullptr) {
        return inside_->coroutine(inside_->object, req);
    }
    return answer_in_task(*inside_, req);
}

namespace detail {

error_pages::page const* error_pages::find(unsigned status) const noexcept {
    for (error_pages const* at = this; at != nullptr; at = at->outside) {
        if (auto const found = at->by_status.find(status); found != at->by_status.end()) {
            return &found->second;
        }
    }
    return nullptr;
}

void put_page(error_pages const* pages, http::request& req, http::response& answer) {
    if (pages == nullptr) return;
    auto const* const page = pages->find(http::code_of(answer.status()));
    if (page == nullptr) return;
    // A page that throws leaves the answer as it was, which a second page could not make better.
    std::exception_ptr failure;
    try {
        http::response shown = page->says.plain(page->says.object, req);
        if (shown.status() == http::status::ok) shown.set_status(answer.status());
        for (http::field const each : answer.headers()) {
            if (!shown.headers().contains(each.name)) shown.headers().add(each.name, each.value);
        }
        answer = std::move(shown);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) static_cast<void>(request_access::answer_to(req, std::move(failure)));
}

namespace {

layer const& layer_of(void const* object) noexcept {
    return *static_cast<layer const*>(object);
}

http::response answer_to(layer const& self, http::request& req, std::exception_ptr failure) {
    http::response answer = request_access::answer_to(req, std::move(failure));
    put_page(self.pages, req, answer);
    return answer;
}

// Calls `function` and makes an answer of what it throws.
template <class Function>
void guarded(layer const& self, http::request& req, http::response& into,
             Function const& function) {
    std::exception_ptr failure;
    try {
        function();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) into = answer_to(self, req, std::move(failure));
}

// True when there is an answer without what is inside.
bool enter(layer const& self, http::request& req, http::response& into) {
    if (self.functions->before == nullptr) return false;
    bool early = true;
    guarded(self, req, into, [&] { early = self.functions->before(self.object, req, into); });
    return early;
}
void leave(layer const& self, http::request& req, http::response& answer) {
    if (self.functions->after == nullptr) return;
    guarded(self, req, answer, [&] { self.functions->after(self.object, req, answer); });
}

// The innermost layer: what a handler throws goes no further.
http::response catch_plainly(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer;
    guarded(self, req, answer, [&] { answer = self.inside.plain(self.inside.object, req); });
    return answer;
}
task<http::response> catch_later(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer;
    std::exception_ptr failure;
    try {
        answer = co_await next(self.inside)(req);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) answer = answer_to(self, req, std::move(failure));
    co_return answer;
}

// An answer of the router's own, with its page.
http::response show_page(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer = self.inside.plain(self.inside.object, req);
    put_page(self.pages, req, answer);
    return answer;
}

// Middleware that does not wait, around a handler that does not either.
http::response run_plainly(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer;
    if (enter(self, req, answer)) return answer;
    answer = self.inside.plain(self.inside.object, req);
    leave(self, req, answer);
    return answer;
}
// The same around one that does.
task<http::response> run_later(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer;
    bool const early = enter(self, req, answer);
    if (!early) {
        answer = co_await self.inside.coroutine(self.inside.object, req);
        leave(self, req, answer);
    }
    co_return answer;
}

// Middleware that is a coroutine.
task<http::response> run_around(void const* object, http::request& req) {
    layer const& self = layer_of(object);
    http::response answer;
    std::exception_ptr failure;
    try {
        answer = co_await self.functions->around(self.object, req, next(self.inside));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) answer = answer_to(self, req, std::move(failure));
    co_return answer;
}

bool does_something(middleware_functions const& functions) noexcept {
    return functions.before != nullptr || functions.after != nullptr || functions.around != nullptr;
}

}  // namespace

http::handler layers::put(http::handler inside, middleware_entry const* around,
                          error_pages const* pages) {
    layer& self = all_.emplace_back(layer{.inside = inside, .pages = pages});
    http::handler outside = inside;  // for its content mode and its bounds
    outside.object = &self;
    outside.ready = nullptr;
    if (around == nullptr) {
        outside.plain = inside.is_plain() ? &catch_plainly : nullptr;
        outside.coroutine = inside.is_plain() ? nullptr : &catch_later;
        return outside;
    }
    self.object = around->owner.get();
    self.functions = around->functions;
    bool const waits = self.functions->around != nullptr;
    bool const plain = inside.is_plain() && !waits;
    outside.plain = plain ? &run_plainly : nullptr;
    outside.coroutine = plain ? nullptr : waits ? &run_around : &run_later;
    return outside;
}

http::handler layers::wrap_own(http::handler own, error_pages const* pages) {
    layer& self = all_.emplace_back(layer{.inside = own, .pages = pages});
    own.object = &self;
    own.plain = &show_page;
    return own;
}

http::handler layers::wrap(http::handler handler, std::span<middleware_entry const> around,
                           error_pages const* pages) {
    bool needed = pages != nullptr;
    for (middleware_entry const& each : around) {
        if (does_something(*each.functions)) needed = true;
    }
    if (!needed) return handler;
    handler = put(handler, nullptr, pages);
    for (std::size_t left = around.size(); left != 0; --left) {
        middleware_entry const& each = around[left - 1];
        if (does_something(*each.functions)) handler = put(handler, &each, pages);
    }
    return handler;
}

}  // namespace detail

}  // namespace rill::web
