// A codec that lacks something, or options that are impossible, are said so in words.
#include "rill/io/framing.hpp"

struct only_reads {
    std::size_t maximum_bytes() const { return 100; }
    rill::framing::step measure(rill::bytes, std::size_t) const {
        return rill::framing::step::more();
    }
};
constexpr rill::framing::length_field good({.width = 8});

rill::task<> use(rill::framed_stream& in) {
    rill::frame const got = co_await in.read_frame(only_reads());
    co_await in.write_frame(good, got.payload());
}

#if MUST_NOT_COMPILE == 1  // expect: to write frames a codec needs: std::error_code head
rill::task<> cannot_write(rill::framed_stream& to) {
    co_await to.write_frame(only_reads(), "x");
}
#endif
#if MUST_NOT_COMPILE == 2  // expect: to read frames a codec needs: framing::step measure
rill::task<> cannot_read(rill::framed_stream& in) {
    static_cast<void>(co_await in.read_frame(42));
}
#endif
#if MUST_NOT_COMPILE == 3  // expect: a codec needs a bound for its frames
struct boundless {
    rill::framing::step measure(rill::bytes, std::size_t) const {
        return rill::framing::step::more();
    }
};
rill::task<> without_bound(rill::framed_stream& in) {
    static_cast<void>(co_await in.read_frame(boundless()));
}
#endif
#if MUST_NOT_COMPILE == 4  // expect: assertion_failed|constant expression
constexpr rill::framing::length_field too_wide({.width = 9});
#endif
#if MUST_NOT_COMPILE == 5  // expect: nodiscard
void dropped(rill::framed_stream& in) {
    in.read_frame(good);
}
#endif
