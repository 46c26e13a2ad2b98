// result<T>: a value, or the std::error_code of why there is none.
#pragma once

#include <memory>
#include <system_error>
#include <type_traits>
#include <utility>

#include "rill/base/assert.hpp"
#include "rill/base/error.hpp"

namespace rill {

/// A value of type T, or why there is none. Costs no exception and no allocation.
///
/// `if (r)` asks for the value; `*r` and `r->` reach it and assert that it is there; `r.value()`
/// throws `error` instead.
template <class T>
class [[nodiscard]] result {
    static_assert(std::is_object_v<T>, "result holds objects; use a pointer for a reference");
    static_assert(!std::is_same_v<T, std::error_code>, "a result of an error code is ambiguous");

public:
    using value_type = T;

    /// Holds a value.
    result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : has_value_(true) {
        std::construct_at(std::addressof(value_), std::move(value));
    }
    /// Holds an error; `code` must be set.
    result(std::error_code code) noexcept : has_value_(false), error_(code) {
        RILL_ASSERT(code, "a failed result needs a code that says why");
    }
    /// Holds an error of rill's own.
    result(errc code) noexcept : result(make_error_code(code)) {}

    result(result const& other)
        requires std::is_copy_constructible_v<T>
        : has_value_(other.has_value_) {
        copy_from(other);
    }
    result(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>)
        : has_value_(other.has_value_) {
        move_from(std::move(other));
    }
    result& operator=(result const& other)
        requires std::is_copy_constructible_v<T>
    {
        if (this != &other) {
            destroy();
            has_value_ = other.has_value_;
            copy_from(other);
        }
        return *this;
    }
    result& operator=(result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
        if (this != &other) {
            destroy();
            has_value_ = other.has_value_;
            move_from(std::move(other));
        }
        return *this;
    }
    ~result() { destroy(); }

    /// True when there is a value.
    [[nodiscard]] bool has_value() const noexcept { return has_value_; }
    /// True when there is a value.
    [[nodiscard]] explicit operator bool() const noexcept { return has_value_; }

    /// The value; asserts that there is one.
    [[nodiscard]] T& operator*() & noexcept { return get(); }
    /// The value; asserts that there is one.
    [[nodiscard]] T const& operator*() const& noexcept {
        RILL_ASSERT(has_value_, "look at the result before you use its value");
        return value_;
    }
    /// The value, to be moved from; asserts that there is one.
    [[nodiscard]] T&& operator*() && noexcept { return std::move(get()); }
    /// Reaches into the value; asserts that there is one.
    [[nodiscard]] T* operator->() noexcept { return std::addressof(get()); }
    /// Reaches into the value; asserts that there is one.
    [[nodiscard]] T const* operator->() const noexcept { return std::addressof(**this); }

    /// The value; throws `error` when there is none.
    T& value() & {
        if (!has_value_) throw rill::error(error_);
        return value_;
    }
    /// The value, to be moved from; throws `error` when there is none.
    T&& value() && {
        if (!has_value_) throw rill::error(error_);
        return std::move(value_);
    }

    /// Why there is no value; empty when there is one.
    [[nodiscard]] std::error_code error() const noexcept {
        return has_value_ ? std::error_code{} : error_;
    }

private:
    T& get() noexcept {
        RILL_ASSERT(has_value_, "look at the result before you use its value");
        return value_;
    }
    void destroy() noexcept {
        if (has_value_) std::destroy_at(std::addressof(value_));
    }
    void copy_from(result const& other) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), other.value_);
        } else {
            error_ = other.error_;
        }
    }
    void move_from(result&& other) {
        if (has_value_) {
            std::construct_at(std::addressof(value_), std::move(other.value_));
        } else {
            error_ = other.error_;
        }
    }

    bool has_value_;
    union {
        T value_;
        std::error_code error_;
    };
};

/// Success, or why it failed.
template <>
class [[nodiscard]] result<void> {
public:
    using value_type = void;

    /// Success.
    result() noexcept = default;
    /// Failure; `code` must be set.
    result(std::error_code code) noexcept : error_(code) {
        RILL_ASSERT(code, "a failed result needs a code that says why");
    }
    /// Failure with a code of rill's own.
    result(errc code) noexcept : result(make_error_code(code)) {}

    /// True on success.
    [[nodiscard]] bool has_value() const noexcept { return !error_; }
    /// True on success.
    [[nodiscard]] explicit operator bool() const noexcept { return !error_; }
    /// Throws `error` on failure.
    void value() const {
        if (error_) throw rill::error(error_);
    }
    /// Why it failed; empty on success.
    [[nodiscard]] std::error_code error() const noexcept { return error_; }

private:
    std::error_code error_;
};

}  // namespace rill
