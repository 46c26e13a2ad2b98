// Joins the fields of a list.
#include "http/whole_list.hpp"

namespace rill::http {

std::string_view whole_list(request const& req, http1::known_field which, std::string& joined) {
    auto const& fields = req.headers();
    if (!fields.repeats(which)) return fields.find(which);
    for (field const each : fields) {
        if (!same_name(each.name, http1::name_of(which))) continue;
        if (!joined.empty()) joined += ',';
        joined += each.value;
    }
    return joined;
}

}  // namespace rill::http
