// File requests of the epoll driver.
#include "epoll_files.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <utility>

#include "blocking_pool.hpp"
#include "file_calls.hpp"

namespace rill {

namespace {

/// Does what is asked for, waiting as long as it takes.
int perform(request const& what) noexcept {
    using file_calls::patience;
    switch (what.what()) {
        case verb::open_beneath:
            return file_calls::open_beneath(what.descriptor(), what.path(), patience::full);
        case verb::read_file:
            return file_calls::read_at(what.descriptor(), what.into(), what.offset(),
                                       patience::full);
        case verb::write_file:
            return file_calls::write_at(what.descriptor(), what.pieces()[0], what.offset());
        case verb::send_file:
            return file_calls::send_from(what.source(), what.offset(), what.size(),
                                         what.descriptor());
        default:
            return -EINVAL;
    }
}

/// The same where it needs no disk; -EAGAIN where it does.
int perform_at_once(request const& what) noexcept {
    using file_calls::patience;
    switch (what.what()) {
        case verb::open_beneath:
            return file_calls::open_beneath(what.descriptor(), what.path(), patience::none);
        case verb::read_file:
            return file_calls::read_at(what.descriptor(), what.into(), what.offset(),
                                       patience::none);
        default:
            return -EAGAIN;
    }
}

}  // namespace

/// A request on its way through the pool.
class epoll_files::job final : public detail::blocking_job {
public:
    explicit job(epoll_files& of) noexcept : owner_(of) { comes_back_to(of.results_); }

    void take(request& what) noexcept { what_ = &what; }
    [[nodiscard]] request& what() const noexcept { return *what_; }
    [[nodiscard]] int value() const noexcept { return value_; }

private:
    void execute() noexcept override { value_ = perform(*what_); }
    void run() noexcept override { owner_.done(*this); }

    epoll_files& owner_;
    request* what_ = nullptr;
    int value_ = 0;
};

epoll_files::epoll_files(sink& to) : sink_(to), results_(std::make_shared<mailbox>()) {}

epoll_files::~epoll_files() {
    RILL_ASSERT(busy_.empty(), "a core ends when its requests have come back");
}

std::optional<int> epoll_files::start(request& what) noexcept {
    int const value = perform_at_once(what);
    if (value != -EAGAIN) return value;
    return hand_over(what);
}

std::optional<int> epoll_files::hand_over(request& what) noexcept {
    std::unique_ptr<job> made;
    if (!idle_.empty()) {
        made = std::move(idle_.back());
        idle_.pop_back();
    } else {
        made.reset(new (std::nothrow) job(*this));
        if (made == nullptr) return -ENOMEM;
    }
    made->take(what);
    job& given = *made;
    busy_.push_back(std::move(made));
    if (detail::blocking_pool::instance().submit(given) == 0) return std::nullopt;
    // Not one thread can be made: then this one waits for the disk.
    idle_.push_back(take_out(given));
    return perform(what);
}

epoll_files::place epoll_files::withdraw(request& what) noexcept {
    auto const at = std::find_if(busy_.begin(), busy_.end(),
                                 [&](auto const& each) { return &each->what() == &what; });
    if (at == busy_.end()) return place::elsewhere;
    if (!detail::blocking_pool::instance().withdraw(**at)) return place::with_a_thread;
    idle_.push_back(take_out(**at));
    return place::withdrawn;
}

void epoll_files::collect() noexcept {
    results_->drain(done_);
    static_cast<void>(done_.run_ready(std::numeric_limits<std::uint32_t>::max()));
}

void epoll_files::done(job& which) noexcept {
    std::unique_ptr<job> ended = take_out(which);
    request& what = ended->what();
    int const value = ended->value();
    if (idle_.size() < most_idle) idle_.push_back(std::move(ended));
    sink_.file_done(what, value);
}

std::unique_ptr<epoll_files::job> epoll_files::take_out(job const& which) noexcept {
    auto const at = std::find_if(busy_.begin(), busy_.end(),
                                 [&](auto const& each) { return each.get() == &which; });
    std::unique_ptr<job> taken = std::move(*at);
    *at = std::move(busy_.back());
    busy_.pop_back();
    return taken;
}

}  // namespace rill
