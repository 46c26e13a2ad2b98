// Judges the conditions of a request.
#include "rill/codec/preconditions.hpp"

#include "rill/codec/http_date.hpp"
#include "rill/codec/http_fields.hpp"

namespace rill::codec {

// True for a list that names the representation; `*` names whatever there is.
bool preconditions::list_matches(std::string_view list, tag_comparison how) const noexcept {
    if (http1::trim_space(list) == "*") return true;
    return current_.tag && list_has_tag(list, *current_.tag, how);
}

void preconditions::if_match(std::string_view value) noexcept {
    // A weak tag cannot promise that a change starts from the same bytes: section 13.1.1.
    if (list_matches(value, tag_comparison::strong)) {
        if_match_ = state::holds;
    } else if (if_match_ == state::absent) {
        if_match_ = state::fails;
    }
}

void preconditions::if_none_match(std::string_view value) noexcept {
    if (list_matches(value, tag_comparison::weak)) {
        if_none_match_ = state::fails;
    } else if (if_none_match_ == state::absent) {
        if_none_match_ = state::holds;
    }
}

void preconditions::if_modified_since(std::string_view value) noexcept {
    bool const is_first = if_modified_since_ == state::absent;
    if_modified_since_ = state::ignored;
    auto const since = parse_http_date(http1::trim_space(value), now_);
    if (!is_first || !since || !current_.modified) return;
    if_modified_since_ = *current_.modified <= *since ? state::fails : state::holds;
}

void preconditions::if_unmodified_since(std::string_view value) noexcept {
    bool const is_first = if_unmodified_since_ == state::absent;
    if_unmodified_since_ = state::ignored;
    auto const since = parse_http_date(http1::trim_space(value), now_);
    if (!is_first || !since || !current_.modified) return;
    if_unmodified_since_ = *current_.modified <= *since ? state::holds : state::fails;
}

void preconditions::if_range(std::string_view value) noexcept {
    bool const is_first = if_range_ == state::absent;
    if_range_ = state::fails;
    if (!is_first) return;
    value = http1::trim_space(value);
    if (auto const tag = parse_entity_tag(value)) {
        bool const same = current_.tag && same_tag(*tag, *current_.tag, tag_comparison::strong);
        if (same) if_range_ = state::holds;
        return;
    }
    // A date is exact or nothing. In the second of a change it would not tell what came before it
    // from what came after it, so it is weak until that second is over: section 8.8.2.2.
    auto const date = parse_http_date(value, now_);
    if (date && current_.modified == date && *date < now_) if_range_ = state::holds;
}

preconditions::verdict preconditions::judge(bool reads) const noexcept {
    // A tag says more than a date, so a date is looked at only where there is no tag.
    state const must_hold = if_match_ != state::absent ? if_match_ : if_unmodified_since_;
    if (must_hold == state::fails) return verdict::failed;
    if (if_none_match_ != state::absent) {
        if (if_none_match_ == state::holds) return verdict::proceed;
        return reads ? verdict::not_modified : verdict::failed;
    }
    bool const is_fresh = reads && if_modified_since_ == state::fails;
    return is_fresh ? verdict::not_modified : verdict::proceed;
}

}  // namespace rill::codec
