// Canary: the control of this folder. Where it does not compile, the others say nothing.
#include <string>
#include <utility>
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

canary::task<int> control() {
    std::vector<std::string> list{"a", "bc"};
    int const result = co_await lengths(std::move(list));
    co_return result;
}
