// A request of a test's own, and the wait for what comes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "rill/coro/task.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/request.hpp"
#include "rill/rt/sleep.hpp"
#include "rt/driver.hpp"

namespace rill::test {

/// Asks the core's driver for one thing and notes each result.
class probe final : public request {
public:
    probe(verb what, int descriptor) noexcept : request(what) { set_descriptor(descriptor); }
    using request::set_into;
    using request::set_offset;
    using request::set_path;
    using request::set_pieces;
    using request::set_source;
    using request::set_target;

    /// One result.
    struct outcome {
        int value;
        std::uint32_t buffer;
        bool more;
    };

    void start() { core::current().io().start(*this); }
    void stop() { core::current().io().cancel(*this); }
    [[nodiscard]] std::vector<outcome> const& outcomes() const noexcept { return outcomes_; }
    /// The last result's value.
    [[nodiscard]] int value() const noexcept { return outcomes_.back().value; }

private:
    void completed(int value, std::uint32_t buffer, bool more) noexcept override {
        outcomes_.push_back({value, buffer, more});
    }

    std::vector<outcome> outcomes_;
};

/// Waits for the last result of `what` and gives its value.
inline task<int> finished(probe& what) {
    while (what.in_flight()) co_await rill::sleep(100us);
    co_return what.value();
}
/// Starts `what` and waits for its last result.
inline task<int> ask(probe& what) {
    what.start();
    int const value = co_await finished(what);
    co_return value;
}

}  // namespace rill::test
