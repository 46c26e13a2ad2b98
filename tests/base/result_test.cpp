// result<T>: value or error code.
#include "rill/base/result.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

TEST_CASE("a result keeps a move-only value and gives it out once") {
    rill::result<std::unique_ptr<int>> r(std::make_unique<int>(7));
    REQUIRE(r);
    std::unique_ptr<int> const taken = *std::move(r);
    CHECK(*taken == 7);
}

TEST_CASE("a failed result names its code and throws it from value()") {
    rill::result<std::string> r(rill::errc::timed_out);
    CHECK_FALSE(r);
    CHECK(r.error() == rill::errc::timed_out);
    CHECK(r.error() == std::errc::timed_out);
    CHECK_THROWS_AS(r.value(), rill::error);
}

TEST_CASE("assignment switches between value and error without a leak") {
    auto const counted = std::make_shared<int>(1);
    rill::result<std::shared_ptr<int>> r(counted);
    CHECK(counted.use_count() == 2);
    r = rill::result<std::shared_ptr<int>>(rill::errc::closed);
    CHECK(counted.use_count() == 1);
    r = counted;
    CHECK(counted.use_count() == 2);
}

TEST_CASE("an error says what was tried, on what and why") {
    rill::error const e(rill::system_error(ECONNREFUSED), "connect", "127.0.0.1:80",
                        "is the server running?");
    CHECK(std::string(e.what()) ==
          "connect 127.0.0.1:80: Connection refused (is the server running?)");
}
