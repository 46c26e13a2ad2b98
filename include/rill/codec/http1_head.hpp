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
class field_lines;
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
        return {places_[index].name(base_), places_[index].value(base_)};
    }
    /// The first line of this name; `data()` is null when there is none. Takes no search.
    [[nodiscard]] std::string_view find(known_field which) const noexcept {
        if (!has(which)) return {};
        std::uint8_t const index = first_[static_cast<std::size_t>(which)];
        return places_[index].value(base_);
    }
    /// As above for any name, without case.
    [[nodiscard]] std::string_view find(std::string_view name) const noexcept;
    /// The index of the first line of this name from index `from` on, or `not_found`.
    [[nodiscard]] std::size_t find_from(std::string_view name, std::size_t from) const noexcept;
    /// True when there is a line of this name.
    [[nodiscard]] bool has(known_field which) const noexcept {
        return (present_ & bit_of(which)) != 0;
    }
    /// True when there is a line of one of these names.
    [[nodiscard]] bool has_any(known_field_set names) const noexcept {
        return (present_ & names.bits()) != 0;
    }
    /// True when there is more than one line of this name.
    [[nodiscard]] bool repeats(known_field which) const noexcept {
        return (repeated_ & bit_of(which)) != 0;
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
    friend class detail::field_lines;
    friend class request_head;

    // Where a name and a value lie: four numbers of 16 bits in one word, which is written at once.
    class place {
    public:
        place() noexcept {}  // only the first count_ are set
        place(std::ptrdiff_t name, std::ptrdiff_t name_size, std::ptrdiff_t value,
              std::ptrdiff_t value_size) noexcept
            : all_(static_cast<std::uint64_t>(name | name_size << 16 | value << 32 |
                                              value_size << 48)) {}
        [[nodiscard]] std::string_view name(char const* base) const noexcept {
            return {base + (all_ & 0xffff), all_ >> 16 & 0xffff};
        }
        [[nodiscard]] std::string_view value(char const* base) const noexcept {
            return {base + (all_ >> 32 & 0xffff), all_ >> 48};
        }

    private:
        std::uint64_t all_;
    };
    static constexpr std::uint32_t bit_of(known_field which) noexcept {
        return known_field_set::bit_of(which);
    }

    char const* base_ = nullptr;
    std::uint32_t present_ = 0;   // a bit for each known field that there is
    std::uint32_t repeated_ = 0;  // and for each that comes more than once
    std::uint8_t count_ = 0;
    std::array<std::uint8_t, known_field_count> first_;  // set for those that there are
    std::array<place, capacity> places_;                 // only the first count_ are set
};

}  // namespace rill::http1
