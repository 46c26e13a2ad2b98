// state: what the program keeps for its handlers, by type. `app.state<T>(...)` puts it there.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "rill/base/assert.hpp"
#include "rill/base/type_key.hpp"
#include "rill/http/request.hpp"
#include "rill/rt/per_core.hpp"

namespace rill::web {

namespace detail {

/// The objects of one router, and where to look on.
struct state_list {
    struct entry {
        rill::detail::type_key type;
        std::shared_ptr<void> object;
    };
    std::vector<entry> entries;
    state_list const* outside = nullptr;  ///< Of the router around it.

    /// The object of that type, or null.
    [[nodiscard]] void* find(rill::detail::type_key type) const noexcept {
        for (state_list const* at = this; at != nullptr; at = at->outside) {
            for (entry const& each : at->entries) {
                if (each.type == type) return each.object.get();
            }
        }
        return nullptr;
    }
};

/// What a request carries.
struct state_place {
    state_list const* list;
};

}  // namespace detail

/// The object that `app.state<T>(...)` has made, for handlers and middleware. Asking for one that
/// was not made is a bug in the program and asserts.
///
/// Core  all cores have the same object: let it be constant, atomic, or behind a mutex.
template <class T>
[[nodiscard]] T& state(http::request const& req) {
    auto const* const place = req.attached<detail::state_place>();
    void* const found =
        place == nullptr ? nullptr : place->list->find(rill::detail::type_key_of<T>);
    RILL_ASSERT(found != nullptr, "the router has no state of that type: app.state<T>(...)");
    return *static_cast<T*>(found);
}

/// This core's object of a `per_core<T>` that `app.state<per_core<T>>(...)` has made.
template <class T>
[[nodiscard]] T& core_state(http::request const& req) {
    return state<per_core<T>>(req).local();
}

}  // namespace rill::web
