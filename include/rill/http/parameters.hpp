// parameters: all pairs of a query or of a form, decoded while they are walked over.
// URL Standard section 5.1 (application/x-www-form-urlencoded).
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/base/query.hpp"
#include "rill/http/scratch.hpp"

namespace rill::http {

/// One pair of a query or of a form, decoded.
struct parameter {
    std::string_view name;   ///< What is before the first `=`.
    std::string_view value;  ///< What is behind it; empty without one.
};

/// The pairs of a query or a form, in order: `for (auto [name, value] : req.query_parameters())`.
/// They are decoded while they are walked over; a '%' without two digits stays as it is.
///
/// Errors    `problem` 400 behind `max_count` pairs.
/// Lifetime  names and values die when the answer is finished, as all views of the request do.
/// Cost      a pair with encoded characters is copied, anew each time that it is walked over.
class RILL_API parameters {
public:
    /// The most pairs that are looked at, also by look-ups of one name, such as `request::query`.
    static constexpr std::size_t max_count = 1000;

    /// Steps from pair to pair.
    class RILL_API iterator {
    public:
        using value_type = parameter;                       ///< What it points to.
        using difference_type = std::ptrdiff_t;             ///< For the standard's algorithms.
        using iterator_category = std::input_iterator_tag;  ///< Pairs are made when asked for.

        /// Stands nowhere; only to be assigned to.
        iterator() noexcept = default;
        /// The pair.
        [[nodiscard]] parameter const& operator*() const noexcept { return found_; }
        /// The pair's members.
        [[nodiscard]] parameter const* operator->() const noexcept { return &found_; }
        /// Steps to the next pair.
        iterator& operator++() {
            ++at_;
            find();
            return *this;
        }
        /// Steps to the next pair and gives the iterator from before.
        iterator operator++(int) {
            iterator const before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(iterator const& it, std::default_sentinel_t end) noexcept {
            return it.at_ == end;
        }

    private:
        friend class parameters;
        iterator(query_pairs::iterator at, std::optional<std::string_view> only,
                 detail::scratch& memory)
            : at_(at), only_(only), memory_(&memory) {
            find();
        }
        void find();

        query_pairs::iterator at_;
        std::optional<std::string_view> only_;
        detail::scratch* memory_ = nullptr;
        std::size_t count_ = 0;
        parameter found_;
    };

    /// The pairs of `text`; with `only`, those of that name. Decoded texts lie in `memory`.
    parameters(std::string_view text, std::optional<std::string_view> only,
               detail::scratch& memory) noexcept
        : pairs_(text), only_(only), memory_(&memory) {}

    /// The first pair.
    [[nodiscard]] iterator begin() const { return {pairs_.begin(), only_, *memory_}; }
    /// Behind the last pair.
    [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

private:
    query_pairs pairs_;
    std::optional<std::string_view> only_;
    detail::scratch* memory_;
};

}  // namespace rill::http
