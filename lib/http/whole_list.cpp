// Joins the fields of a list.
#include "http/whole_list.hpp"

namespace rill::http {

std::string_view whole_list(request const& req, http1::known_field which, std::string& joined) {
    auto const& fields = req.headers();
    if (!fields.repeats(which)) return fields.find(which);
    joined = whole_list(req, http1::name_of(which));
    return joined;
}

std::string whole_list(request const& req, std::string_view name) {
    std::string joined;
    for (field const each : req.headers()) {
        if (!same_name(each.name, name)) continue;
        if (!joined.empty()) joined += ',';
        joined += each.value;
    }
    return joined;
}

}  // namespace rill::http
