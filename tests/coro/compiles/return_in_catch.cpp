// Canary: `co_return` inside a `catch`.
#include <stdexcept>

#include "support/canary_form.hpp"

namespace {

canary::task<int> fail() {
    co_await canary::suspension{};
    throw std::runtime_error("expected");
}

}  // namespace

canary::task<int> return_in_catch() {
    canary::probe const held;
    try {
        co_await fail();
    } catch (std::runtime_error const&) {
        co_return 1;
    }
    co_return 0;
}
