// Canary: a braced list of strings as an argument of an awaited call (GCC PR103871, PR109227).
#include <string>
#include <vector>

#include "support/canary_form.hpp"

namespace {

canary::task<int> lengths(std::vector<std::string> list) {
    co_await canary::suspension{};
    std::size_t total = 0;
    for (auto const& s : list) total += s.size();
    co_return static_cast<int>(total);
}

}  // namespace

canary::task<int> list_of_strings() {
    int const result = co_await lengths({"a", "bc"});
    co_return result;
}
