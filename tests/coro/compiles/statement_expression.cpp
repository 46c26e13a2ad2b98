// Canary: a GNU statement expression in a coroutine, around an await as TRY macros have it.
#include "support/canary_form.hpp"

namespace {

canary::task<int> number(int value) {
    canary::probe const held;
    co_await canary::suspension{};
    co_return value;
}

}  // namespace

canary::task<int> statement_expression() {
    int const result = __extension__({
        auto inner = co_await number(3);
        if (inner < 0) co_return 0;
        inner + 1;
    });
    co_return result;
}
