// A result is looked at, holds objects, and converts to bool only where that is asked for.
#include "rill/base/result.hpp"

rill::result<int> answer();
rill::result<void> done();

int use() {
    auto const r = answer();
    if (r) return *r;
    return done().error().value();
}

#if MUST_NOT_COMPILE == 1  // expect: nodiscard
void dropped() {
    answer();
}
#endif
#if MUST_NOT_COMPILE == 2  // expect: nodiscard
void dropped() {
    done();
}
#endif
#if MUST_NOT_COMPILE == 3  // expect: result holds objects
using reference = rill::result<int&>;
bool instantiated(reference& r) {
    return r.has_value();
}
#endif
#if MUST_NOT_COMPILE == 4  // expect: ambiguous
using code = rill::result<std::error_code>;
bool instantiated(code& r) {
    return r.has_value();
}
#endif
#if MUST_NOT_COMPILE == 5  // expect: cannot convert|no viable conversion
bool implicit() {
    return answer();
}
#endif
