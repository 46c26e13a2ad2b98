// The requests that one burst of input brings: parsed, answered in order, sent in one go.
#pragma once

#include <memory>
#include <optional>

#include "http/admission.hpp"
#include "http/content.hpp"
#include "http/input_window.hpp"
#include "http/server_core.hpp"
#include "http/write_answer.hpp"
#include "rill/base/buffer.hpp"
#include "rill/codec/http1_request.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/handler.hpp"
#include "rill/http/request.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/io/throttle.hpp"

namespace rill::http {

/// What becomes of a connection after a burst.
enum class next_step : std::uint8_t {
    wait,       ///< Wait for the next request.
    hand_over,  ///< HTTP is over: what comes next has the connection to itself.
    close,      ///< Close gracefully: what was written is to reach the client.
    cut,        ///< Close now.
};

/// What follows HTTP on a connection.
struct handover {
    upgrade_session session;
    buffer rest;  ///< What came behind the request.
};

/// What a connection remembers from one burst to the next.
struct connection_state {
    std::uint64_t requests_left;    ///< Counted down; from 0 on the limit is far away again.
    bool after_empty_line = false;  ///< An empty line has come since the last request.
    bool late = false;              ///< What has come has waited too long: 503.
    std::unique_ptr<handover> next = nullptr;  ///< For `next_step::hand_over`.
};

/// Serves requests until the input at hand is used up. Lives in a frame of its own, which is freed
/// before the connection waits again.
///
/// `advance` runs as many requests as need no wait; `resolve` is the slow way of one that does.
class exchange final : private detail::request_source {
public:
    /// How far it has come.
    enum class progress : std::uint8_t {
        answered,    ///< The answer is in the output; the request is not finished.
        used_up,     ///< No further request is at hand.
        output_due,  ///< There is enough output for a send.
        ended,       ///< Nothing more is to be read or answered; what is in the output is sent.
        upgraded,    ///< The same, and the state says what has the connection then.
        lost,        ///< The connection is broken or the client gone.
        needs_head,  ///< More of a head has to be received.
        needs_body,  ///< Content has to be received first.
        needs_wait,  ///< The handler returns a task.
        needs_send,  ///< The answer's body is sent from where it is.
        refused,     ///< It has waited too long, and its content is to be left alone.
    };

    /// Begins with what was received; `state` is the connection's.
    /// Its requests count for `from`, where that is not null.
    exchange(server_core& home, byte_stream& peer, lease first, connection_state& state,
             counted_address* from = nullptr);
    exchange(exchange const&) = delete;
    exchange& operator=(exchange const&) = delete;
    ~exchange();

    /// Serves requests without a wait. Returns why it stopped: never `answered`.
    [[nodiscard]] progress advance();
    /// Does what `advance` could not. Returns `answered` to go on, or what
    /// `advance` returns, too: `output_due`, `ended` or `lost`.
    [[nodiscard]] task<progress> resolve(progress from);

    /// Answers that are to be sent.
    [[nodiscard]] bytes output() const noexcept { return output_.view(); }
    /// The outcome of sending them. Returns true when they were sent.
    bool sent(result<void> const& outcome) noexcept {
        output_.clear();
        return note(outcome);
    }
    /// Gives the kernel's buffer back: call it before a wait that the peer controls.
    void settle() { input_.settle(); }
    /// The deadline of a write that begins now.
    [[nodiscard]] time_point write_deadline() const noexcept {
        return deadline_in(home_.options().write_timeout);
    }

private:
    // The rates of a route, in a connection's stream for as long as a request of it is served.
    class route_rates {
    public:
        route_rates() noexcept = default;
        route_rates(route_rates const&) = delete;
        route_rates& operator=(route_rates const&) = delete;
        ~route_rates() { clear(); }

        void set(throttled_stream& of, handler_bounds const& route) noexcept {
            of_ = &of;
            of.set_read_rate(server_core::rate_of_route, &route.reads);
            of.set_write_rate(server_core::rate_of_route, &route.writes);
        }
        [[nodiscard]] bool are_set() const noexcept { return of_ != nullptr; }
        void clear() noexcept {
            if (of_ == nullptr) return;
            of_->set_read_rate(server_core::rate_of_route, nullptr);
            of_->set_write_rate(server_core::rate_of_route, nullptr);
            of_ = nullptr;
        }

    private:
        throttled_stream* of_ = nullptr;
    };
    // What only requests that wait need.
    struct waiting {
        waiting() noexcept {}  // `optional` asks for it before this class is complete

        buffer head;                            // a copy of the head and of a small body
        buffer body;                            // content that came in pieces
        response answer;                        // while its body is being sent
        std::optional<content_reader> content;  // that was not there with the head
        request_places places;                  // what it takes of the limits
        route_rates rates;                      // that the connection keeps to meanwhile
        detail::finish_hook* hooks = nullptr;   // owned, the last one first
        finished end;                           // what they are told
    };

    friend class content_reader;

    class chunk_writer;
    enum class arrival : std::uint8_t { came, ended, timed_out };

    [[nodiscard]] client_info client_of(request const& req) const override;
    [[nodiscard]] response answer_to(std::exception_ptr failure) override;
    void at_finish(detail::finish_hook* hook) noexcept override;
    void call_hooks(bool whole) noexcept;
    [[nodiscard]] progress begin_request(http1::request_head const& head);
    void drop_empty_line();
    [[nodiscard]] progress call_handler();
    [[nodiscard]] progress append(response& answer);
    void refuse_early_upgrade(response& answer);
    void finish_request(std::size_t head_size);
    [[nodiscard]] task<progress> read_content();
    [[nodiscard]] task<progress> read_whole();
    [[nodiscard]] task<progress> drop_content();
    content_reader& open_content();
    void note_refused(content_reader const& content) noexcept;
    [[nodiscard]] content_bounds bounds() const noexcept;
    [[nodiscard]] time_point handler_deadline() const noexcept;
    [[nodiscard]] progress answer_failure(std::exception_ptr failure);
    [[nodiscard]] task<progress> wait_for_handler();
    [[nodiscard]] task<progress> send_body();
    [[nodiscard]] task<progress> send_stream();
    [[nodiscard]] task<progress> send_file();
    [[nodiscard]] progress hand_over();
    [[nodiscard]] task<progress> copy_file(file_range const& range);
    [[nodiscard]] task<progress> read_more_head();
    [[nodiscard]] task<arrival> receive(time_point deadline);
    [[nodiscard]] task<bool> flush();

    [[nodiscard]] waiting& slow() noexcept {
        if (!waiting_) waiting_.emplace();
        return *waiting_;
    }
    void keep_head(std::size_t with_body);
    void release_output() noexcept;
    void take_output() noexcept;
    bool note(result<void> const& sent) noexcept;
    progress refuse(unsigned code, std::string_view reason);
    [[nodiscard]] bool admit();
    [[nodiscard]] task<progress> end_throttled();
    [[nodiscard]] progress turn_away();
    [[nodiscard]] time_point deadline_in(duration length) const noexcept;

    server_core& home_;
    byte_stream& peer_;
    connection_state& state_;
    counted_address* from_;
    input_window input_;
    buffer output_;
    http1::request_parser parser_;
    streaming_request request_;
    answer_frame frame_;
    handler chosen_;
    std::optional<waiting> waiting_;
    time_point head_deadline_ = never;
    std::size_t body_in_place_ = 0;  // bytes of content that stand in the window behind the head
    // What a request leaves behind when it ends, in one byte that most requests look at once.
    static constexpr std::uint8_t head_kept = 1;  // the head is copied, and no longer in the window
    static constexpr std::uint8_t has_hooks = 2;  // functions wait for its end
    std::uint8_t traces_ = 0;
    bool over_ = false;  // nothing more is to be read or answered
};

}  // namespace rill::http
