// Canary: a braced list as a vector argument of an awaited call (GCC PR103871, PR109227).
#include <vector>

#include "support/canary_form.hpp"

namespace {

canary::task<int> sum(std::vector<int> list) {
    co_await canary::suspension{};
    int total = 0;
    for (int const n : list) total += n;
    co_return total;
}

}  // namespace

canary::task<int> list_of_ints() {
    int const result = co_await sum({1, 2, 3});
    co_return result;
}
