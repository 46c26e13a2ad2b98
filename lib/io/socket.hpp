// A connected stream socket over the driver seam: a bounded queue of received buffers, and writers
// in line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "io/remote_link.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/rt/core.hpp"
#include "rill/rt/request.hpp"
#include "rt/driver.hpp"
#include "rt/receive_buffers.hpp"

namespace rill {

/// A connected stream socket. Owned by a handle (`tcp::stream`) until `release`, then by itself
/// until the driver has let go of it.
///
/// Receiving. One request for a stream of results stays armed while fewer than `most_buffers` are
/// unread; at the bound it is cancelled and armed again at half of it. What one flooding peer can
/// bring before the cancel acts is one turn of the kernel's: 33 buffers, times as often as the
/// kernel goes on within one enter (three times was measured on Linux 6.18), and never more than
/// the socket's receive buffer in the kernel. Unread pieces share a buffer where they fit: a peer
/// that sends single bytes does not take a buffer for each.
///
/// Invariant: `receiving_` in flight implies that the descriptor is open.
class socket final : public byte_stream, private buffer_waiter {
public:
    static constexpr std::uint32_t most_buffers = 16;
    /// The bound while the core's buffers are scarce.
    static constexpr std::uint32_t most_buffers_when_scarce = 1;

    /// Takes the descriptor over.
    socket(core& home, int descriptor) noexcept;

    static void* operator new(std::size_t size) { return detail::allocate_frame(size); }
    static void operator delete(void* memory, std::size_t size) noexcept {
        detail::free_frame(memory, size);
    }

    [[nodiscard]] bool sends_files() const noexcept override { return true; }
    void finish() noexcept override;
    void close() noexcept override;
    void watch_end(chain* who) noexcept override;
    [[nodiscard]] address remote_address() const override;
    [[nodiscard]] address local_address() const override;

    /// The owner lets go: closes, and deletes itself when nothing is in flight any more.
    void release() noexcept;
    /// The owner takes the descriptor back from a socket that was never used; deletes the socket.
    [[nodiscard]] int detach() noexcept;
    /// The next close sends a reset instead of an end.
    void reset_on_close() noexcept { home_.io().reset_on_close(descriptor_); }

    /// The link of the socket's remote handles; made when first asked for.
    [[nodiscard]] std::shared_ptr<remote_link> link();
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] core& home() const noexcept { return home_; }
    /// True while bytes of writers wait.
    [[nodiscard]] bool writing() const noexcept { return !writes_.empty(); }
    /// True when this side was closed.
    [[nodiscard]] bool closed() const noexcept { return closed_; }

    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override;
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept override;
    void put_back(lease input) noexcept override;
    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept override;
    void stop_write(pending_write& what, std::error_code why) noexcept override;

private:
    class receive_request final : public request {
    public:
        explicit receive_request(socket& of) noexcept : request(verb::receive_stream), owner(of) {
            set_descriptor(of.descriptor_);
        }
        void one_buffer(bool only) noexcept { set_one_result(only); }
        socket& owner;

    private:
        void completed(int value, std::uint32_t buffer, bool more) noexcept override {
            owner.received(value, buffer, more);
        }
    };
    class send_request final : public request {
    public:
        explicit send_request(socket& of) noexcept : request(verb::send), owner(of) {
            set_descriptor(of.descriptor_);
        }
        using request::set_pieces;
        socket& owner;

    private:
        void completed(int value, std::uint32_t, bool) noexcept override { owner.sent(value); }
    };
    class send_file_request final : public request {
    public:
        explicit send_file_request(socket& of) noexcept : request(verb::send_file), owner(of) {
            set_descriptor(of.descriptor_);
        }
        void set(file_piece const& piece) noexcept {
            set_source(piece.descriptor, piece.size);
            set_offset(piece.offset);
        }
        socket& owner;

    private:
        void completed(int value, std::uint32_t, bool) noexcept override { owner.sent(value); }
    };
    class hangup_request final : public request {
    public:
        explicit hangup_request(socket& of) noexcept : request(verb::hangup), owner(of) {
            set_descriptor(of.descriptor_);
        }
        socket& owner;

    private:
        void completed(int value, std::uint32_t, bool) noexcept override { owner.hung_up(value); }
    };

    ~socket();

    void arm() noexcept;
    void received(int value, std::uint32_t buffer, bool more) noexcept;
    void enqueue(std::uint32_t buffer) noexcept;
    [[nodiscard]] bool joins_last(std::uint32_t buffer) noexcept;
    [[nodiscard]] std::uint32_t most_unread() const noexcept {
        return buffers_.scarce() ? most_buffers_when_scarce : most_buffers;
    }
    lease dequeue() noexcept;
    void ended(std::error_code why) noexcept;
    void hung_up(int value) noexcept;
    void buffer_returned() noexcept override;
    void watch_while_paused() noexcept;

    void send_first() noexcept;
    void sent(int value) noexcept;
    void finish_first(result<void> outcome) noexcept;
    void let_go() noexcept;
    template <class Request>
    [[nodiscard]] static bool busy(std::unique_ptr<Request> const& what) noexcept {
        return what != nullptr && what->in_flight();
    }
    template <class Request>
    Request& needed(std::unique_ptr<Request>& what) {
        if (what == nullptr) what = std::make_unique<Request>(*this);
        return *what;
    }

    core& home_;
    receive_buffers& buffers_;
    int descriptor_;
    receive_request receiving_;
    send_request sending_;
    // Made when first needed: most connections never send a file nor pause.
    std::unique_ptr<send_file_request> sending_file_;
    std::unique_ptr<hangup_request> hangup_;
    bytes cut_piece_;  // storage for the piece that a short send has cut

    std::uint32_t first_unread_ = receive_buffers::none;
    std::uint32_t last_unread_ = receive_buffers::none;
    std::uint32_t unread_count_ = 0;
    std::error_code end_;     // why receiving has ended; `end_of_stream` for a clean end
    std::error_code broken_;  // why nothing more can be written
    input_waiter* reader_ = nullptr;
    pending_writes writes_;
    chain* end_watcher_ = nullptr;
    std::shared_ptr<remote_link> link_;
    bool closed_ = false;
    bool released_ = false;
    bool finishing_ = false;  // a FIN follows the last write
};

}  // namespace rill
