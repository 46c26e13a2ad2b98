// producer: an owned callable that makes a part of an answer while the connection waits for it.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "rill/coro/task.hpp"

namespace rill::http {

/// A callable `f(Argument&)` that gives a task. Owned; move-only; in memory of the frame pool.
template <class Argument>
class producer {
public:
    /// Owns `function`.
    template <class Function>
        requires(std::is_invocable_r_v<task<>, Function&, Argument&> &&
                 !std::is_same_v<std::remove_cvref_t<Function>, producer>)
    explicit producer(Function function)
        : object_(new(rill::detail::allocate_frame(sizeof(Function)))
                      Function(std::move(function))),
          run_([](void* object, Argument& to) -> task<> {
              return (*static_cast<Function*>(object))(to);
          }),
          destroy_([](void* object) noexcept {
              static_cast<Function*>(object)->~Function();
              rill::detail::free_frame(object, sizeof(Function));
          }) {}
    producer(producer&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          run_(other.run_),
          destroy_(other.destroy_) {}
    producer& operator=(producer&& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(run_, other.run_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~producer() {
        if (object_ != nullptr) destroy_(object_);
    }

    /// Starts it; this must live until the task has ended.
    [[nodiscard]] task<> run(Argument& to) { return run_(object_, to); }

private:
    void* object_;
    task<> (*run_)(void*, Argument&);
    void (*destroy_)(void*) noexcept;
};

}  // namespace rill::http
