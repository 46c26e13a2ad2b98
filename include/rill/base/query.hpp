// query_pairs: the `name=value` pairs of a query or of a form body, in order, without a copy.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace rill {

/// One pair, still encoded: `form_decode` it when it comes from a form (browsers send forms), or
/// `percent_decode` it when `+` shall stay `+`.
struct query_pair {
    std::string_view name;   ///< What is before the first `=`.
    std::string_view value;  ///< What is behind it; empty without one.
    bool has_value = false;  ///< False when there was no `=`.
};

/// A range over the pairs of `text` that are separated by `&`. Empty pairs (`a&&b`) are left out.
///
/// Lifetime  the pairs point into `text`.
class query_pairs {
public:
    /// Steps from pair to pair.
    class iterator {
    public:
        /// What it stands on.
        using value_type = query_pair;
        /// For the standard library.
        using difference_type = std::ptrdiff_t;
        /// It can be gone through again from a copy, one step at a time.
        using iterator_category = std::input_iterator_tag;
        /// What `*` gives.
        using reference = query_pair const&;
        /// What `->` gives.
        using pointer = query_pair const*;

        /// Stands nowhere; only to be assigned to.
        iterator() noexcept = default;
        /// Stands on the first pair of `rest`.
        explicit iterator(std::string_view rest) noexcept : rest_(rest) { step(); }
        /// The pair.
        [[nodiscard]] query_pair const& operator*() const noexcept { return pair_; }
        /// The pair's members.
        [[nodiscard]] query_pair const* operator->() const noexcept { return &pair_; }
        /// Steps to the next pair.
        iterator& operator++() noexcept {
            step();
            return *this;
        }
        /// Steps to the next pair and gives the iterator from before.
        iterator operator++(int) noexcept {
            iterator const before = *this;
            step();
            return before;
        }
        friend bool operator==(iterator const& it, std::default_sentinel_t) noexcept {
            return it.ended_;
        }

    private:
        void step() noexcept {
            std::string_view piece;
            while (piece.empty()) {
                if (rest_.empty()) {
                    ended_ = true;
                    return;
                }
                std::size_t const end = rest_.find('&');
                piece = rest_.substr(0, end);
                rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            }
            std::size_t const equals = piece.find('=');
            bool const has_value = equals != std::string_view::npos;
            pair_ = {piece.substr(0, equals),
                     has_value ? piece.substr(equals + 1) : std::string_view(), has_value};
        }

        std::string_view rest_;
        query_pair pair_;
        bool ended_ = false;
    };

    /// The pairs of `text`: a query without its `?`, or a form body.
    explicit query_pairs(std::string_view text) noexcept : text_(text) {}
    /// The first pair.
    [[nodiscard]] iterator begin() const noexcept { return iterator(text_); }
    /// Behind the last pair.
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    std::string_view text_;
};

}  // namespace rill
