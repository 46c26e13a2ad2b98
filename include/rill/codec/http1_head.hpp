// The fields of a parsed HTTP/1.1 head: places in memory that the caller owns (RFC 9112 section 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/base/export.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::http1 {

namespace detail {
class field_section;
}

/// The field lines of one head, in the order in which they came.
///
/// Keeps places and not pointers, so that the head's bytes may move: see `request_head::rebase`.
/// Invariant: every place lies inside the head that was parsed.
class RILL_API field_table {
public:
    /// How many field lines a table can hold.
    static constexpr std::size_t capacity = 128;
    /// An index that no field has.
    static constexpr std::size_t not_found = ~std::size_t{0};

    /// How many field lines there are.
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// The field line at `index`, which is below `size()`.
    [[nodiscard]] field operator[](std::size_t index) const noexcept {
        RILL_ASSERT(index < count_, "ask for an index below size()");
        place const& at = places_[index];
        return {{base_ + at.name, at.name_size}, {base_ + at.value, at.value_size}};
    }
    /// The first line of this name; `data()` is null when there is none. Takes no search.
    [[nodiscard]] std::string_view find(known_field which) const noexcept {
        std::uint8_t const index = first_[static_cast<std::size_t>(which)];
        if (index == absent) return {};
        return {base_ + places_[index].value, places_[index].value_size};
    }
    /// As above for any name, without case.
    [[nodiscard]] std::string_view find(std::string_view name) const noexcept;
    /// The index of the first line of this name from index `from` on, or `not_found`.
    [[nodiscard]] std::size_t find_from(std::string_view name, std::size_t from) const noexcept;
    /// True when there is a line of this name.
    [[nodiscard]] bool has(known_field which) const noexcept {
        return first_[static_cast<std::size_t>(which)] != absent;
    }
    /// True when there is more than one line of this name.
    [[nodiscard]] bool repeats(known_field which) const noexcept {
        return (repeated_ >> static_cast<unsigned>(which) & 1U) != 0;
    }
    /// True when the comma-separated lists in all lines of this name have the element `token`.
    [[nodiscard]] bool list_has(known_field which, std::string_view token) const noexcept;

    /// Walks over the field lines; gives a `field` by value.
    class iterator {
    public:
        /// The line at this place.
        [[nodiscard]] field operator*() const noexcept { return (*table_)[index_]; }
        /// The next line.
        iterator& operator++() noexcept {
            ++index_;
            return *this;
        }
        friend bool operator==(iterator const&, iterator const&) = default;

    private:
        friend class field_table;
        iterator(field_table const* table, std::size_t index) noexcept
            : table_(table), index_(index) {}
        field_table const* table_;
        std::size_t index_;
    };
    /// The first field line.
    [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
    /// Behind the last field line.
    [[nodiscard]] iterator end() const noexcept { return {this, count_}; }

private:
    friend class detail::field_section;
    friend class request_head;

    struct place {
        std::uint16_t name, name_size, value, value_size;
    };
    static constexpr std::uint8_t absent = 0xff;
    static_assert(known_field_count <= 32, "repeated_ has a bit for each known field");

    char const* base_ = nullptr;
    std::uint32_t repeated_ = 0;
    std::uint8_t count_ = 0;
    std::array<std::uint8_t, known_field_count> first_;
    std::array<place, capacity> places_;  // only the first count_ are set
};

}  // namespace rill::http1
