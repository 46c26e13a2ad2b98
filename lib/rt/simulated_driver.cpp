// The driver of one core in a simulated world: what it submits, and in which order it is told.
#include "simulated_driver.hpp"

#include <algorithm>
#include <utility>

#include "simulated_world.hpp"

namespace rill {

namespace {

constexpr std::uint32_t large_buffer_count = 8;
constexpr std::uint32_t large_copy_count = 16;
// All of a world is one process of one user.
constexpr peer_identity everybody{.process = 1000, .user = 1000, .group = 1000};

}  // namespace

std::unique_ptr<driver> make_driver_of_world(simulated_world& in) {
    return std::make_unique<simulated_driver>(in, in.options().receive_buffers,
                                              in.options().receive_copies);
}

std::unique_ptr<driver> make_simulated_driver(simulated_options const& options) {
    return std::make_unique<simulated_driver>(std::make_unique<simulated_world>(options));
}

simulated_driver::simulated_driver(simulated_world& in, std::uint32_t receive_buffers,
                                   std::uint32_t receive_copies)
    : world_(in),
      buffers_(receive_buffers, receive_copies, receive_buffers::block_bytes),
      index_(in.next_index()) {}

simulated_driver::simulated_driver(std::unique_ptr<simulated_world> own)
    : own_(std::move(own)),
      world_(*own_),
      buffers_(world_.options().receive_buffers, world_.options().receive_copies,
               receive_buffers::block_bytes) {}

simulated_driver::~simulated_driver() {
    world_.note_unreturned(buffers_.all.held() + (large_ ? large_->all.held() : 0));
}

void simulated_driver::start(request& what) noexcept {
    what.started();
    ++in_flight_;
    submitted_.push_back({.what = &what, .is_cancel = false});
}

void simulated_driver::cancel(request& what) noexcept {
    if (!what.in_flight() || what.cancelling()) return;
    what.note_cancel();
    submitted_.push_back({.what = &what, .is_cancel = true});
}

void simulated_driver::turn(time_point until) noexcept {
    for (;;) {
        retry_waiters(until > world_.now());
        if (round() || until <= world_.now()) return;
        time_point const next = std::min(until, world_.next_event());
        RILL_ASSERT(next != never,
                    "deadlock in the simulation: every task waits for something that nobody "
                    "will do; look for a read without a writer, or an accept without a client");
        world_.pass_time_to(next);
    }
}

time_point simulated_driver::now() const noexcept {
    return world_.now();
}

std::chrono::system_clock::time_point simulated_driver::wall_now() const noexcept {
    return world_.wall_now();
}

void simulated_driver::random(mutable_bytes into) noexcept {
    for (std::size_t i = 0; i < into.size(); ++i) {
        into.data()[i] = static_cast<std::byte>(world_.random().next() >> 56);
    }
}

int simulated_driver::begin_blocking(detail::blocking_job& job) noexcept {
    world_.jobs().begin(job);
    return 0;
}

bool simulated_driver::withdraw_blocking(detail::blocking_job& job) noexcept {
    return world_.jobs().withdraw(job);
}

void simulated_driver::look_up(name_query& what) noexcept {
    world_.names().ask(what);
}

void simulated_driver::forget(name_query& what) noexcept {
    world_.names().forget(what);
}

result<int> simulated_driver::listen(address const& at, listen_settings const& with) {
    return world_.network().listen(at, with);
}

std::optional<int> simulated_driver::accept_ready(int listener) noexcept {
    return world_.network().accept_ready(listener);
}

result<int> simulated_driver::open_stream(address::family) {
    return world_.network().open_stream();
}

void simulated_driver::configure(int descriptor, stream_settings const& with) noexcept {
    world_.network().configure(descriptor, with);
}

void simulated_driver::shut_down(int descriptor, shutdown_side side) noexcept {
    world_.network().shut_down(descriptor, side);
}

void simulated_driver::close(int descriptor) noexcept {
    if (world_.files().owns(descriptor)) return world_.files().close(descriptor);
    if (world_.datagrams().owns(descriptor)) return world_.datagrams().close(descriptor);
    if (world_.local().owns(descriptor)) return world_.local().close(descriptor);
    world_.network().close(descriptor);
}

void simulated_driver::reset_on_close(int descriptor) noexcept {
    world_.network().reset_on_close(descriptor);
}

bool simulated_driver::broken(int descriptor) noexcept {
    return world_.network().broken(descriptor);
}

address simulated_driver::local(int descriptor) {
    if (world_.datagrams().owns(descriptor)) return world_.datagrams().local(descriptor);
    if (world_.local().owns(descriptor)) return world_.local().local(descriptor);
    return world_.network().local(descriptor);
}

address simulated_driver::remote(int descriptor) {
    if (world_.datagrams().owns(descriptor)) return world_.datagrams().remote(descriptor);
    if (world_.local().owns(descriptor)) return world_.local().remote(descriptor);
    return world_.network().remote(descriptor);
}

std::uint32_t simulated_driver::take_buffer(bool large) noexcept {
    auto& free = of_size(large).free;
    if (free.empty()) return request::no_buffer;
    std::uint32_t const index = free.front();
    free.pop_front();
    return index;
}

void simulated_driver::retry_waiters(bool about_to_wait) noexcept {
    withhold_buffers();
    buffers_.all.retry_waiters(about_to_wait);
    if (large_) large_->all.retry_waiters(about_to_wait);
}

result<int> simulated_driver::open_datagrams(address::family kind, address const* at,
                                             datagram_settings const& with) {
    if (kind == address::family::local) return world_.local().open(at);
    return world_.datagrams().open(kind, at, with);
}

result<void> simulated_driver::set_peer(int descriptor, address const& to) {
    if (world_.local().owns(descriptor)) return world_.local().set_peer(descriptor, to);
    return world_.datagrams().set_peer(descriptor, to);
}

result<void> simulated_driver::join(int descriptor, address const& group, std::uint32_t,
                                    bool leave) {
    return world_.datagrams().join(descriptor, group, leave);
}

std::optional<send_failure> simulated_driver::next_failure(int descriptor) noexcept {
    if (!world_.datagrams().owns(descriptor)) return std::nullopt;
    return world_.datagrams().next_failure(descriptor);
}

std::uint64_t simulated_driver::dropped(int descriptor) noexcept {
    return world_.datagrams().dropped(descriptor);
}

void simulated_driver::release_name(address const& bound) noexcept {
    world_.local().release_name(bound);
}

result<std::array<int, 2>> simulated_driver::open_pair(socket_kind kind) {
    if (kind == socket_kind::stream) return world_.network().open_pair();
    return world_.local().open_pair();
}

result<peer_identity> simulated_driver::identity(int descriptor) noexcept {
    bool const known = world_.local().owns(descriptor) ? world_.local().in_pair(descriptor)
                                                       : world_.network().is_local(descriptor);
    if (!known) return errc::unsupported;
    return everybody;
}

receive_buffers* simulated_driver::large_buffers() noexcept {
    if (!large_)
        large_.emplace(large_buffer_count, large_copy_count, receive_buffers::large_block_bytes);
    return &large_->all;
}

void simulated_driver::begin(request& what) noexcept {
    if (world_.files().owns(what.descriptor())) {
        world_.files().start(what, *this);
    } else if (world_.datagrams().owns(what.descriptor())) {
        world_.datagrams().start(what, *this);
    } else if (world_.local().owns(what.descriptor())) {
        world_.local().start(what, *this);
    } else {
        world_.network().start(what, *this);
    }
}

void simulated_driver::end_early(request& what) noexcept {
    if (world_.files().owns(what.descriptor())) return world_.files().cancel(what);
    if (world_.datagrams().owns(what.descriptor())) return world_.datagrams().cancel(what);
    if (world_.local().owns(what.descriptor())) return world_.local().cancel(what);
    world_.network().cancel(what);
}

/// Takes what was submitted, lets happen what is due, and delivers. True when a result was
/// delivered or there is more to do at this moment.
bool simulated_driver::round() noexcept {
    ++totals_.enters;
    std::vector<submission> submitted;
    submitted.swap(submitted_);
    // A cancel races with what arrives at the same moment: the seed says who wins.
    std::vector<request*> late_cancels;
    for (submission const& each : submitted) {
        if (!each.is_cancel) {
            begin(*each.what);
        } else if (world_.random().coin()) {
            end_early(*each.what);
        } else {
            late_cancels.push_back(each.what);
        }
    }
    bool const more = world_.happen();
    for (request* const each : late_cancels) end_early(*each);
    return deliver() || more;
}

void simulated_driver::withhold_buffers() noexcept {
    buffers_.all.withhold(world_.buffers_taken());
    if (large_) large_->all.withhold(world_.buffers_taken());
}

bool simulated_driver::deliver() noexcept {
    withhold_buffers();  // before receivers hear that there is none, or they would ask for ever
    std::vector<completion> completed;
    completed.swap(completed_);
    if (completed.size() > 1 && world_.faults().roll(&simulation::faults::reorders)) {
        shuffle(completed);
    }
    for (completion const& each : completed) {
        if (!each.more) {
            --in_flight_;
            if (each.what->cancelling()) {
                std::erase_if(submitted_, [&](submission const& one) {
                    return one.is_cancel && one.what == each.what;
                });
            }
        }
        ++totals_.completions;
        world_.note(index_, *each.what, each.value);
        each.what->answer(each.value, each.buffer, each.more);
    }
    return !completed.empty();
}

/// Any order in which the results of each request keep theirs.
void simulated_driver::shuffle(std::vector<completion>& what) noexcept {
    for (std::size_t i = what.size() - 1; i > 0; --i) {
        std::size_t const other = static_cast<std::size_t>(world_.random().below(i + 1));
        // Only neighbours of other requests are passed, so that a stream of results stays in order.
        std::size_t at = i;
        while (at > other && what[at - 1].what != what[at].what) {
            std::swap(what[at - 1], what[at]);
            --at;
        }
    }
}

}  // namespace rill
