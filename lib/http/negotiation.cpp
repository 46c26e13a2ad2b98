// What a client takes, asked of its request.
// RFC 9110 sections 12.5.1 (Accept), 12.5.4 (Accept-Language), 12.5.5 (Vary) and 15.5.7 (406).
#include <algorithm>
#include <string>

#include "http/whole_list.hpp"
#include "rill/codec/accept.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/response.hpp"

namespace rill::http {

namespace {

using choices = std::initializer_list<std::string_view>;

// The choice of the greatest weight, of equals the first; nothing when all have none.
template <class Weight>
std::optional<std::string_view> best_of(choices all, std::string_view list, Weight weight_of) {
    std::optional<std::string_view> best;
    int most = 0;
    for (std::string_view const each : all) {
        int const weight = weight_of(list, each);
        if (weight > most) {
            most = weight;
            best = each;
        }
    }
    return best;
}

}  // namespace

std::optional<std::string_view> request::accepts(choices types) const {
    std::string joined;
    std::string_view const list = whole_list(*this, http1::known_field::accept, joined);
    return best_of(types, list, codec::type_weight);
}

std::string_view request::must_accept(choices types) const {
    auto const best = accepts(types);
    if (best) return *best;
    std::string detail = "the answer is there as ";
    for (std::string_view const each : types) {
        if (each.data() != types.begin()->data()) detail += ", ";
        detail += each;
    }
    throw problem(status::not_acceptable, detail);
}

std::optional<std::string_view> request::accepts_language(choices tags) const {
    std::string joined;
    std::string_view const list = whole_list(*this, http1::known_field::accept_language, joined);
    return best_of(tags, list, codec::language_weight);
}

void response::vary(std::string_view name) {
    std::string all;
    for (field const each : headers_) {
        if (!same_name(each.name, "vary")) continue;
        if (http1::list_contains(each.value, "*") || http1::list_contains(each.value, name)) return;
        if (!all.empty()) all += ", ";
        all += each.value;
    }
    if (!all.empty()) all += ", ";
    headers_.set("Vary", all.append(name));
}

}  // namespace rill::http
