// Fuzzes queries and forms as a request gives them: every pair that is walked over is what its two
// halves decode to, a look-up finds the first of its name, and more pairs than the bound are
// refused. The whole input is the content of a form; its first line is also sent as a query.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_access.hpp"
#include "rill/base/assert.hpp"
#include "rill/base/percent.hpp"
#include "rill/http/problem.hpp"

namespace {

using rill::http::parameter;
using rill::http::request;

// What the pairs are by another way: split first, then decoded by the functions for URLs.
std::vector<std::pair<std::string, std::string>> plainly(std::string_view text) {
    std::vector<std::pair<std::string, std::string>> all;
    for (rill::query_pair const& pair : rill::query_pairs(text)) {
        auto const name = rill::form_decode(pair.name);
        auto const value = rill::form_decode(pair.value);
        // A '%' that is bad is kept, which `form_decode` does not do: such a pair is not compared.
        all.emplace_back(name ? *name : "\xff", value ? *value : "\xff");
    }
    return all;
}

void check(request const& req, std::string_view text) {
    auto const expected = plainly(text);
    std::size_t at = 0;
    try {
        for (parameter const& one : req.form_parameters()) {
            auto const& [name, value] = expected.at(at++);
            RILL_ASSERT(name == "\xff" || name == one.name, "names are decoded as forms are");
            RILL_ASSERT(value == "\xff" || value == one.value, "values are decoded as forms are");
            if (at > 4) continue;
            std::string const sought(one.name);
            RILL_ASSERT(req.has_form(sought), "what is walked over is found");
            RILL_ASSERT(req.form_parameters(sought).begin()->value == req.form(sought),
                        "the first of a name is what a look-up gives");
        }
        RILL_ASSERT(at == expected.size(), "every pair is walked over");
    } catch (rill::http::problem const&) {
        RILL_ASSERT(expected.size() > rill::http::parameters::max_count, "only many are refused");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    request req;
    rill::http::detail::request_access::set_body(req, text);
    check(req, text);

    std::string const head =
        "GET /?" + std::string(text.substr(0, text.find('\n'))) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    rill::http1::request_parser parser;
    if (parser.parse(head).state != rill::http1::head_state::complete) return 0;
    rill::http::detail::request_access::begin(req, parser.head());
    rill::http::detail::request_access::set_body(req, req.query());
    check(req, req.query());
    return 0;
}
