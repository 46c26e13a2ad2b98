// The closed and the open loop; see engine.hpp.
#include "engine.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "failure.hpp"

namespace load {
namespace {

constexpr nanoseconds second = 1'000'000'000;
constexpr nanoseconds silence_limit = 10 * second;

nanoseconds to_nanoseconds(double seconds) {
    return static_cast<nanoseconds>(seconds * static_cast<double>(second));
}

std::size_t answer_size(options const& chosen) {
    bool const sized = chosen.kind == protocol::echo || !chosen.pattern.empty();
    return sized ? chosen.size : chosen.expect.size();
}

int connect_to(sockaddr_in const& server) {
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) throw failure(std::string("socket: ") + std::strerror(errno));
    int const on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd, reinterpret_cast<sockaddr const*>(&server), sizeof server) != 0) {
        auto const cause = errno;
        close(fd);
        throw failure(std::string("connect: ") + std::strerror(cause));
    }
    return fd;
}

}  // namespace

engine::engine(options const& chosen, std::unique_ptr<workload> work)
    : options_(chosen),
      work_(std::move(work)),
      ring_(answer_size(chosen)),
      connections_(chosen.connections),
      random_(chosen.seed) {}

engine::~engine() {
    for (auto const& each : connections_)
        if (each.fd >= 0) close(each.fd);
}

measurement engine::run() {
    connect_all();
    auto const begin = now();
    last_answer_ = begin;
    if (options_.requests != 0) {
        measure_begin_ = begin;
        measure_end_ = ~nanoseconds{0};
        phase_ = phase::measuring;
        snapshot(begin, true);
    } else {
        measure_begin_ = begin + to_nanoseconds(options_.warm);
        measure_end_ = measure_begin_ + to_nanoseconds(options_.time);
    }
    if (options_.rate > 0) {
        run_open();
    } else {
        run_closed();
    }
    return std::move(result_);
}

void engine::connect_all() {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        connections_[i].fd = connect_to(options_.server);
        ring_.receive(i, connections_[i].fd);
    }
}

// Reads the clocks at the begin and at the end of measuring.
void engine::snapshot(nanoseconds moment, bool begin) {
    auto const sign = begin ? ~nanoseconds{0} : nanoseconds{1};  // minus one: unsigned wraps back
    result_.wall += sign * moment;
    result_.own_cpu += sign * own_cpu();
    result_.server_cpu += sign * cpu_of(options_.watch);
}

void engine::advance(nanoseconds moment) {
    if (phase_ == phase::warm && moment >= measure_begin_) {
        snapshot(moment, true);
        phase_ = phase::measuring;
    }
    if (phase_ == phase::measuring && moment >= measure_end_) {
        snapshot(moment, false);
        phase_ = phase::draining;
    }
    if (busy_ != 0 && moment > last_answer_ + silence_limit)
        throw failure("no answer for 10 seconds, " + std::to_string(busy_) +
                      " connections are waiting");
}

void engine::start(std::size_t index, nanoseconds moment) {
    auto& self = connections_[index];
    self.outstanding = work_->batch();
    self.started = moment;
    issued_ += self.outstanding;
    ++busy_;
    ring_.send(index, self.fd, work_->next(index));
}

void engine::on_event(event const& occurred, nanoseconds moment) {
    auto& self = connections_[occurred.connection];
    auto const where = [&] { return "connection " + std::to_string(occurred.connection) + ": "; };
    if (occurred.result == -ENOBUFS) {
        ring_.receive(occurred.connection, self.fd);
        return;
    }
    if (occurred.result < 0) throw failure(where() + std::strerror(-occurred.result));
    if (occurred.result == 0) throw failure(where() + "closed by the server");
    if (!occurred.armed) ring_.receive(occurred.connection, self.fd);
    auto const count = work_->received(occurred.connection, occurred.data);
    if (count == 0) return;
    last_answer_ = moment;
    if (options_.rate <= 0 && phase_ == phase::measuring) result_.requests += count;
    self.outstanding -= count;
    if (self.outstanding == 0) {
        --busy_;
        on_done(occurred.connection, moment);
    }
}

void engine::on_done(std::size_t index, nanoseconds moment) {
    auto const started = connections_[index].started;
    if (options_.rate > 0) {
        // Open loop: a request counts when it was meant for the time of measuring.
        if (started >= measure_begin_ && started < measure_end_) {
            if (work_->refused(index)) {
                ++result_.refused;
            } else {
                ++result_.requests;
                if (moment >= measure_end_) ++result_.late;
                result_.latency.add(moment - started);
                result_.by_time.add(started - measure_begin_, moment - started);
            }
        }
        if (free_.empty()) free_since_ = moment;
        free_.push_back(index);
        return;
    }
    if (phase_ == phase::measuring) result_.latency.add(moment - started);
    if (phase_ == phase::draining) return;
    if (options_.requests != 0 && issued_ >= options_.requests) return;
    start(index, moment);
}

void engine::run_closed() {
    for (std::size_t i = 0; i < connections_.size(); ++i)
        if (options_.requests == 0 || issued_ < options_.requests) start(i, now());
    while (busy_ != 0) {
        // One clock reading a turn: the completions of a turn arrived together.
        nanoseconds moment = 0;
        ring_.turn(second, [&](event const& occurred) {
            if (moment == 0) moment = now();
            on_event(occurred, moment);
        });
        advance(moment == 0 ? now() : moment);
    }
    if (phase_ == phase::measuring) snapshot(now(), false);
}

nanoseconds engine::gap() {
    auto const mean = 1e9 / options_.rate;
    if (!options_.poisson) return static_cast<nanoseconds>(mean);
    return static_cast<nanoseconds>(std::exponential_distribution<double>(1.0)(random_) * mean);
}

// Puts every request that is due into the queue, with the moment at which it was due.
void engine::schedule(nanoseconds moment) {
    while (next_intended_ <= moment && next_intended_ < measure_end_) {
        waiting_.push_back(next_intended_);
        next_intended_ += gap();
    }
}

void engine::dispatch(nanoseconds moment) {
    while (!waiting_.empty() && !free_.empty()) {
        auto const intended = waiting_.front();
        auto const index = free_.front();
        waiting_.pop_front();
        free_.pop_front();
        // The lag of the generator itself: not the time for which every connection was busy.
        if (intended >= measure_begin_)
            result_.send_lag.add(moment - std::max(intended, free_since_));
        start(index, intended);
    }
}

void engine::run_open() {
    for (std::size_t i = 0; i < connections_.size(); ++i) free_.push_back(i);
    next_intended_ = now();
    free_since_ = next_intended_;
    while (phase_ != phase::draining || busy_ != 0 || !waiting_.empty()) {
        auto const moment = now();
        advance(moment);
        schedule(moment);
        dispatch(moment);
        nanoseconds arrived = 0;
        ring_.poll([&](event const& occurred) {
            if (arrived == 0) arrived = now();
            on_event(occurred, arrived);
        });
    }
}

}  // namespace load
