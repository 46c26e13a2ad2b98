// A task is awaited in the expression that makes it: it is neither dropped, named nor moved.
#include <utility>

#include "rill/coro.hpp"

rill::task<int> answer();
rill::task<> done();

rill::task<int> use() {
    co_await done();
    auto const both = co_await rill::when_all(answer(), done());
    auto const value = co_await rill::as_result(answer());
    co_return value ? *value : std::get<0>(both);
}

#if MUST_NOT_COMPILE == 1  // expect: nodiscard
void dropped() {
    answer();
}
#endif
#if MUST_NOT_COMPILE == 2  // expect: await_ready|rvalue|discards qualifiers|operator co_await
rill::task<int> named() {
    auto later = answer();
    int const value = co_await later;
    co_return value;
}
#endif
#if MUST_NOT_COMPILE == 3  // expect: deleted
rill::task<> moved() {
    auto first = done();
    auto second = std::move(first);
    co_await std::move(second);
}
#endif
#if MUST_NOT_COMPILE == 4  // expect: constraint|no matching function
rill::task<> named_in_when_all() {
    auto later = answer();
    auto const all = co_await rill::when_all(later, done());
    static_cast<void>(all);
}
#endif
#if MUST_NOT_COMPILE == 5  // expect: constraint|no matching function
rill::task<> named_in_as_result() {
    auto later = answer();
    auto const value = co_await rill::as_result(later);
    static_cast<void>(value);
}
#endif
#if MUST_NOT_COMPILE == 6  // expect: nodiscard|unused
void combinator_dropped() {
    rill::when_all(answer(), done());
}
#endif
#if MUST_NOT_COMPILE == 7  // expect: nobody would look at the result
rill::task<rill::result<int>> fallible();
void result_dropped(rill::task_group& group) {
    group.spawn(fallible);
}
#endif
#if MUST_NOT_COMPILE == 8  // expect: a task gives an object or void
rill::task<int&> reference() {
    static int value = 0;
    co_return value;
}
#endif
#if MUST_NOT_COMPILE == 9  // expect: nodiscard
void guard_dropped(rill::mutex& one) {
    one.try_lock();
}
#endif
