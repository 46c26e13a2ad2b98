// Look-ups in a field table by names that are not known ones.
#include "rill/codec/http1_head.hpp"

#include "codec/known_fields.hpp"

namespace rill::http1 {

std::size_t field_table::find_from(std::string_view name, std::size_t from) const noexcept {
    for (std::size_t index = from; index < count_; ++index) {
        if (equal_ignoring_case(places_[index].name(base_), name)) return index;
    }
    return not_found;
}

std::string_view field_table::find(std::string_view name) const noexcept {
    known_field const which = find_known_field(name);
    if (which != known_field::none) return find(which);
    std::size_t const index = find_from(name, 0);
    return index == not_found ? std::string_view{} : (*this)[index].value;
}

bool field_table::list_has(known_field which, std::string_view token) const noexcept {
    if (!has(which)) return false;
    if (!repeats(which)) return list_contains(find(which), token);
    std::string_view const name = name_of(which);
    for (std::size_t index = find_from(name, 0); index != not_found;
         index = find_from(name, index + 1)) {
        if (list_contains((*this)[index].value, token)) return true;
    }
    return false;
}

}  // namespace rill::http1
