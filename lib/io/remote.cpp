// Sends and ends on their way to the core of a stream.
#include "rill/io/remote.hpp"

#include <memory>
#include <string>
#include <utility>

#include "io/remote_link.hpp"
#include "io/socket.hpp"

namespace rill::tcp {

namespace {

/// One send: a message until it arrives, then a write in the stream's line. Owns itself.
class remote_send final : public message, private pending_write {
public:
    remote_send(std::shared_ptr<remote_link> link, std::unique_ptr<std::string> text)
        : pending_write(bytes(*text)), link_(std::move(link)), text_(std::move(text)) {}

private:
    void run() noexcept override {
        if (link_->target == nullptr) {
            written(errc::closed);
            return;
        }
        if (auto now = link_->target->begin_write(*this)) written(*now);
    }
    void written(result<void>) noexcept override {
        link_->queued_bytes.fetch_sub(text_->size(), std::memory_order_relaxed);
        delete this;
    }

    std::shared_ptr<remote_link> link_;
    std::unique_ptr<std::string> text_;
};

/// The end of one side or of both, on its way. Owns itself.
class remote_end final : public message {
public:
    using way = void (socket::*)() noexcept;

    remote_end(std::shared_ptr<remote_link> link, way how) noexcept
        : link_(std::move(link)), how_(how) {}

    static void deliver(std::shared_ptr<remote_link> const& link, way how) {
        auto* const ending = new remote_end(link, how);
        if (!link->box->deliver(*ending)) delete ending;
    }

private:
    void run() noexcept override {
        if (link_->target != nullptr) (link_->target->*how_)();
        delete this;
    }

    std::shared_ptr<remote_link> link_;
    way how_;
};

}  // namespace

result<void> remote::send(bytes what) const {
    if (closed()) return errc::closed;
    if (what.empty()) return {};
    std::size_t const before =
        link_->queued_bytes.fetch_add(what.size(), std::memory_order_relaxed);
    if (before + what.size() > most_queued_bytes) {
        link_->queued_bytes.fetch_sub(what.size(), std::memory_order_relaxed);
        return errc::limit_exceeded;
    }
    // Delivered, it owns itself: the core may run and free it before `deliver` returns.
    auto* const sending = new remote_send(link_, std::make_unique<std::string>(what.text()));
    if (link_->box->deliver(*sending)) return {};
    delete sending;
    link_->queued_bytes.fetch_sub(what.size(), std::memory_order_relaxed);
    return errc::closed;
}

void remote::finish() const {
    if (!closed()) remote_end::deliver(link_, &socket::finish);
}

void remote::close() const {
    if (!closed()) remote_end::deliver(link_, &socket::close);
}

bool remote::closed() const noexcept {
    return link_ == nullptr || link_->gone.load(std::memory_order_acquire);
}

}  // namespace rill::tcp
