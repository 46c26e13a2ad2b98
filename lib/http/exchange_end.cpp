// How requests end: the answers to what handlers throw, and who is told.
#include <exception>
#include <utility>

#include "http/exchange.hpp"
#include "rill/base/log.hpp"
#include "rill/http/problem.hpp"

namespace rill::http {

namespace {

/// The answer to what a handler threw.
response answer_to_failure(server_core& home, std::exception_ptr failure) noexcept {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (problem const& known) {
        return to_response(known);
    } catch (std::exception const& unexpected) {
        log::error("handler threw", {{"what", unexpected.what()}});
    } catch (...) {
        log::error("handler threw", {{"what", "not a std::exception"}});
    }
    ++home.counters().failed;
    return response(status::internal_server_error);
}

}  // namespace

exchange::progress exchange::answer_failure(std::exception_ptr failure) {
    response answer = answer_to_failure(home_, std::move(failure));
    return append(answer);
}

response exchange::answer_to(std::exception_ptr failure) {
    // Nobody hears the answer to a client that has left: neither is that a fault of the handler.
    if (waiting_ && waiting_->content && waiting_->content->lost()) return response();
    return answer_to_failure(home_, std::move(failure));
}

void exchange::at_finish(detail::finish_hook* hook) noexcept {
    if (slow().hooks == nullptr) waiting_->end = {};
    hook->next = std::exchange(waiting_->hooks, hook);
    traces_ |= has_hooks;
}

void exchange::call_hooks(bool whole) noexcept {
    if ((traces_ & has_hooks) == 0) return;
    finished how = std::exchange(waiting_->end, finished());
    how.whole = whole;
    while (waiting_->hooks != nullptr) {
        detail::finish_hook* const hook = waiting_->hooks;
        waiting_->hooks = hook->next;
        hook->call(hook, request_, how);
        hook->destroy(hook);
    }
    traces_ &= static_cast<std::uint8_t>(~has_hooks);
}

}  // namespace rill::http
