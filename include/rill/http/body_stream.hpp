// body_stream: an answer's body that is made while it is sent. RFC 9112 section 7.1.
#pragma once

#include <cstddef>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "rill/base/bytes.hpp"
#include "rill/coro/task.hpp"

namespace rill::http {

/// Where the producer of a body writes to.
class body_writer {
public:
    /// Sends a piece of the body and waits for the client to take it. An empty piece sends nothing.
    ///
    /// Errors    `error` when the client is gone or takes nothing for `write_timeout`; the
    ///           connection is then cut, whatever the producer does.
    /// Lifetime  the bytes must live until the await ends.
    /// Cancel    ends the answer; the connection is cut.
    [[nodiscard]] virtual task<> write(bytes piece) = 0;

    /// Adds a trailer field, which follows the body, to be called before the producer ends. Only
    /// clients that say `TE: trailers` get it; what others must know belongs into the head.
    ///
    /// Errors    `error` invalid_argument for a field that must not be a trailer (RFC 9110 section
    ///           6.5.1), and as in `headers::add`.
    virtual void trailer(std::string_view name, std::string_view value) = 0;

protected:
    ~body_writer() = default;
};

/// A callable that produces a body: `producer(body_writer&)` gives a task. Owned; move-only.
class body_stream {
public:
    /// Owns `producer`.
    template <class Producer>
        requires(std::is_invocable_r_v<task<>, Producer&, body_writer&> &&
                 !std::is_same_v<std::remove_cvref_t<Producer>, body_stream>)
    explicit body_stream(Producer producer)
        : object_(new(detail_allocate(sizeof(Producer))) Producer(std::move(producer))),
          run_([](void* object, body_writer& to) -> task<> {
              return (*static_cast<Producer*>(object))(to);
          }),
          destroy_([](void* object) noexcept {
              static_cast<Producer*>(object)->~Producer();
              rill::detail::free_frame(object, sizeof(Producer));
          }) {}
    body_stream(body_stream&& other) noexcept
        : object_(std::exchange(other.object_, nullptr)),
          run_(other.run_),
          destroy_(other.destroy_) {}
    body_stream& operator=(body_stream&& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(run_, other.run_);
        std::swap(destroy_, other.destroy_);
        return *this;
    }
    ~body_stream() {
        if (object_ != nullptr) destroy_(object_);
    }

    /// Starts the producer; the stream must live until the task has ended.
    [[nodiscard]] task<> run(body_writer& to) { return run_(object_, to); }

private:
    static void* detail_allocate(std::size_t size) { return rill::detail::allocate_frame(size); }

    void* object_;
    task<> (*run_)(void*, body_writer&);
    void (*destroy_)(void*) noexcept;
};

}  // namespace rill::http
