// headers: the fields of an answer, owned, in one block of text.
// RFC 9110 section 5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include "rill/base/export.hpp"
#include "rill/http/field.hpp"

namespace rill::http {

/// An ordered list of header fields; a name may come several times.
///
/// All fields stand in one block as "name: value CR LF", which is how HTTP/1 sends them: writing
/// them out is one copy, and there is no allocation per field. An empty list owns nothing. A CR, LF
/// or NUL never gets in, so text from a client cannot split an answer (RFC 9110 section 5.5).
class RILL_API headers {
public:
    /// Walks over the fields in order.
    class iterator {
    public:
        using value_type = field;                            ///< What it points to.
        using difference_type = std::ptrdiff_t;              ///< For the standard's algorithms.
        using iterator_category = std::input_iterator_tag;   ///< Fields are made when asked for.
        using iterator_concept = std::forward_iterator_tag;  ///< And may be asked for again.

        iterator() noexcept = default;
        /// The field; its views die at the next change of the list.
        [[nodiscard]] field operator*() const noexcept;
        /// The next field.
        iterator& operator++() noexcept;
        /// The next field; returns where it stood.
        iterator operator++(int) noexcept {
            iterator const before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(iterator, iterator) noexcept = default;

    private:
        friend class headers;
        explicit iterator(char const* at) noexcept : at_(at) {}
        char const* at_ = nullptr;
    };

    headers() noexcept = default;
    headers(headers&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    headers& operator=(headers&& other) noexcept {
        std::swap(block_, other.block_);
        return *this;
    }
    headers(headers const&) = delete;
    headers& operator=(headers const&) = delete;
    ~headers() {
        if (block_ != nullptr) release();
    }

    /// Sets a field, in place of all of that name. It goes to the end.
    ///
    /// White space around `value` is dropped. `name` and `value` may be views of this list.
    /// Errors    invalid_argument when `name` is no token or `value` holds a control character
    ///           other than a tab; limit_exceeded beyond `max_size`. The list is then unchanged.
    void set(std::string_view name, std::string_view value);
    /// Adds a field and keeps those of the same name. Errors as in `set`.
    void add(std::string_view name, std::string_view value);
    /// Adds the fields of another list, which was checked when it was made: one copy, for fields
    /// that many answers have in common. Throws limit_exceeded beyond `max_size`.
    void add(headers const& others);
    /// Drops all fields of that name. Returns how many there were.
    std::size_t erase(std::string_view name) noexcept;
    /// Drops all fields.
    void clear() noexcept;

    /// The value of the first field of that name; empty when there is none.
    /// Lifetime  dies at the next change of the list.
    [[nodiscard]] std::string_view get(std::string_view name) const noexcept;
    /// True when there is a field of that name.
    [[nodiscard]] bool contains(std::string_view name) const noexcept;
    /// True when there is no field.
    [[nodiscard]] bool empty() const noexcept { return wire().empty(); }

    /// The first field.
    [[nodiscard]] iterator begin() const noexcept { return iterator(wire().data()); }
    /// Behind the last field.
    [[nodiscard]] iterator end() const noexcept { return iterator(wire().data() + wire().size()); }

    /// All fields as HTTP/1 sends them, each with its CR LF, without the empty line at the end.
    [[nodiscard]] std::string_view wire() const noexcept {
        return block_ == nullptr ? std::string_view() : std::string_view(text(), block_->size);
    }

    /// The most bytes that `wire()` grows to.
    static constexpr std::size_t max_size = 64 * 1024;

    /// Fields that decide over the form of an answer, for `may_contain`.
    enum mark : std::uint32_t {
        date = 1,               ///< Date.
        content_type = 2,       ///< Content-Type.
        content_length = 4,     ///< Content-Length.
        transfer_encoding = 8,  ///< Transfer-Encoding.
        connection = 16,        ///< Connection.
        upgrade = 32,           ///< Upgrade.
    };
    /// False when none of the fields that are marked in `which` was ever added: no look at the
    /// list.
    [[nodiscard]] bool may_contain(std::uint32_t which) const noexcept {
        return block_ != nullptr && (block_->marks & which) != 0;
    }

private:
    // The text follows in the same allocation.
    struct block {
        std::uint32_t size;
        std::uint32_t capacity;
        std::uint32_t marks;  // of all fields that were added since it was empty
    };

    [[nodiscard]] char* text() const noexcept { return reinterpret_cast<char*>(block_ + 1); }
    char* append(std::string_view name, std::string_view value);
    block* make_room(std::size_t added);
    std::size_t erase_in(std::size_t limit, std::string_view name) noexcept;
    void release() noexcept;

    block* block_ = nullptr;
};

}  // namespace rill::http
