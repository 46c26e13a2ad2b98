// What all connections of one server share on one core.
#include "http/server_core.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "http/idle_wait.hpp"
#include "rill/codec/http_date.hpp"

namespace rill::http {

server_core::server_core(core& home, service const& answers, server_options const& options,
                         admission* doors)
    : home_(home),
      answers_(answers),
      options_(options),
      doors_(doors),
      throttles_(answers.throttles() || options.read_rate != 0 || options.write_rate != 0 ||
                 options.connection_read_rate != 0 || options.connection_write_rate != 0) {
    spare_.reserve(most_spare);
    constexpr std::string_view frame = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    static_assert(frame.size() == sizeof(date_));
    std::copy(frame.begin(), frame.end(), date_.begin());
    if (options.shed_delay > duration::zero()) {
        delays_.emplace(options.shed_delay, options.shed_interval);
        watchful_ = true;
        // What waits in the kernel is not seen, so the kernel is asked several times within the
        // delay.
        home.look_every(options.shed_delay / 2);
    }
}

void server_core::refresh_date() noexcept {
    using namespace std::chrono;
    auto const now = home_.wall_now();
    auto const second = floor<seconds>(now);
    codec::format_http_date(
        second, std::span<char, codec::http_date_size>(date_.data() + 6, codec::http_date_size));
    date_good_until_ = home_.now() + duration_cast<duration>(second + 1s - now);
}

void server_core::end_idle() noexcept {
    while (first_idle_ != nullptr) {
        idle_wait& idle = *first_idle_;
        leave_idle(idle);
        idle.waiting_chain()->cancel(cancel_reason::shutdown);
    }
}

void server_core::enter_idle(idle_wait& who) noexcept {
    who.previous_ = nullptr;
    who.next_ = first_idle_;
    if (first_idle_ != nullptr) first_idle_->previous_ = &who;
    first_idle_ = &who;
}

void server_core::leave_idle(idle_wait& who) noexcept {
    if (who.previous_ == nullptr && first_idle_ != &who) return;
    (who.previous_ != nullptr ? who.previous_->next_ : first_idle_) = who.next_;
    if (who.next_ != nullptr) who.next_->previous_ = who.previous_;
    who.previous_ = who.next_ = nullptr;
}

}  // namespace rill::http
