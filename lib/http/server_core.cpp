// What all connections of one server share on one core.
#include "http/server_core.hpp"

#include <algorithm>
#include <chrono>
#include <span>

#include "rill/codec/http_date.hpp"

namespace rill::http {

server_core::server_core(core& home, service const& answers, server_options const& options)
    : home_(home), answers_(answers), options_(options) {
    spare_.reserve(most_spare);
    constexpr std::string_view frame = "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    static_assert(frame.size() == sizeof(date_));
    std::copy(frame.begin(), frame.end(), date_.begin());
}

void server_core::refresh_date() noexcept {
    using namespace std::chrono;
    auto const now = home_.wall_now();
    auto const second = floor<seconds>(now);
    codec::format_http_date(
        second, std::span<char, codec::http_date_size>(date_.data() + 6, codec::http_date_size));
    date_good_until_ = home_.now() + duration_cast<duration>(second + 1s - now);
}

void server_core::drain() noexcept {
    draining_ = true;
    while (first_idle_ != nullptr) {
        idle_connection& idle = *first_idle_;
        leave_idle(idle);
        idle.line->cancel(cancel_reason::shutdown);
    }
}

void server_core::enter_idle(idle_connection& who) noexcept {
    who.previous = nullptr;
    who.next = first_idle_;
    if (first_idle_ != nullptr) first_idle_->previous = &who;
    first_idle_ = &who;
}

void server_core::leave_idle(idle_connection& who) noexcept {
    if (who.previous == nullptr && first_idle_ != &who) return;
    (who.previous != nullptr ? who.previous->next : first_idle_) = who.next;
    if (who.next != nullptr) who.next->previous = who.previous;
    who.previous = who.next = nullptr;
}

}  // namespace rill::http
