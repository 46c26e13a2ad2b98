// Delays between tries, and the account of failures.
#include "rill/io/reconnect.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "rill/base/assert.hpp"
#include "rill/rt/core.hpp"
#include "rt/driver.hpp"

namespace rill {

reconnect_delay::reconnect_delay(reconnect_options const& with) noexcept
    : growth_(with.growth),
      jitter_(with.spread),
      first_(std::min(with.first_delay, with.longest_delay)),
      longest_(with.longest_delay) {
    RILL_ASSERT(with.first_delay >= duration::zero(), "a delay is not negative");
    RILL_ASSERT(with.longest_delay >= duration::zero(), "a delay is not negative");
}

duration reconnect_delay::whole(std::uint32_t failures) const noexcept {
    RILL_ASSERT(failures != 0, "a delay comes after a failure");
    if (growth_ == delay_growth::fixed || first_ == duration::zero()) return first_;
    if (growth_ == delay_growth::linear)
        return failures <= longest_ / first_ ? first_ * failures : longest_;
    // Doubled while that stays below the longest; the number of failures has no bound.
    std::uint32_t const doublings = failures - 1;
    if (doublings >= 62 || longest_.count() >> doublings < first_.count()) return longest_;
    return first_ * (std::int64_t{1} << doublings);
}

duration reconnect_delay::spread(std::uint32_t failures, std::uint64_t random) const noexcept {
    duration const most = whole(failures);
    if (jitter_ == jitter::none) return most;
    auto const choices = static_cast<std::uint64_t>(most.count()) + 1;
    return duration(static_cast<std::int64_t>(random % choices));
}

namespace detail {

namespace {

std::uint64_t random_number() noexcept {
    std::array<std::byte, sizeof(std::uint64_t)> memory;
    core::current().io().random(memory);
    return std::bit_cast<std::uint64_t>(memory);
}

/// True for what no further try can mend.
bool is_final(std::error_code code) noexcept {
    return code == errc::bad_address || code == errc::bad_url || code == errc::unsupported;
}

std::error_code code_of(std::exception_ptr const& why) noexcept {
    if (!why) return errc::end_of_stream;
    try {
        std::rethrow_exception(why);
    } catch (error const& failure) {
        return failure.code();
    }
}

}  // namespace

void reconnect_state::begin_try() {
    up_ = false;
    tell({.what = reconnect_event::kind::connecting, .failures = failures_});
}

void reconnect_state::connected() {
    up_ = true;
    ++connects;
    since_ = core::current().clock();
    tell({.what = reconnect_event::kind::connected, .failures = failures_});
}

duration reconnect_state::ended(std::exception_ptr const& why) {
    reconnect_event happened{.what = reconnect_event::kind::failed, .cause = code_of(why)};
    if (up_) {
        ++losses;
        happened.what = reconnect_event::kind::lost;
        happened.lasted = core::current().clock() - since_;
        if (happened.lasted >= with_.stable_after) failures_ = 0;
    }
    if (failures_ != UINT32_MAX) ++failures_;
    happened.failures = failures_;
    bool const last = with_.most_failures != 0 && failures_ >= with_.most_failures;
    bool const gives_up = last || (!up_ && is_final(happened.cause));
    if (!gives_up) happened.delay = delay_.spread(failures_, random_number());
    tell(happened);
    if (!gives_up) return happened.delay;
    tell({.what = reconnect_event::kind::gave_up,
          .failures = failures_,
          .cause = happened.cause,
          .lasted = happened.lasted});
    if (why) std::rethrow_exception(why);
    throw error(happened.cause, "reconnect");
}

}  // namespace detail

}  // namespace rill
