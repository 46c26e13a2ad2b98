// The requests that one burst of input brings: parsed, answered in order, sent in one go.
#pragma once

#include "http/input_window.hpp"
#include "http/server_core.hpp"
#include "http/write_answer.hpp"
#include "rill/base/buffer.hpp"
#include "rill/codec/http1_request.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/handler.hpp"
#include "rill/http/request.hpp"
#include "rill/io/byte_stream.hpp"

namespace rill::http {

/// What becomes of a connection after a burst.
enum class next_step : std::uint8_t {
    wait,   ///< Wait for the next request.
    close,  ///< Close gracefully: what was written is to reach the client.
    cut,    ///< Close now.
};

/// Serves requests until the input at hand is used up. Lives in a frame of its own, which is freed
/// before the connection waits again.
class exchange {
public:
    exchange(server_core& home, byte_stream& peer);
    exchange(exchange const&) = delete;
    exchange& operator=(exchange const&) = delete;
    ~exchange();

    /// Serves what `first` brings, and what belongs to it.
    [[nodiscard]] task<next_step> run(lease first);

private:
    /// How far a request has come.
    enum class progress : std::uint8_t {
        answered,    ///< The answer is in the output.
        needs_body,  ///< Content has to be received first.
        needs_wait,  ///< The handler returns a task.
        needs_send,  ///< The answer's body is sent from where it is.
        ended,       ///< The connection cannot go on; what is in the output is still sent.
        lost,        ///< The connection is broken or the client gone.
    };
    enum class arrival : std::uint8_t { came, ended, timed_out };

    [[nodiscard]] progress begin_request();
    [[nodiscard]] progress call_handler();
    [[nodiscard]] progress append(response& answer);
    void finish_request();
    [[nodiscard]] task<progress> continue_request(progress from);
    [[nodiscard]] task<progress> read_body();
    [[nodiscard]] task<progress> decode_body(time_point deadline);
    [[nodiscard]] task<progress> wait_for_handler();
    [[nodiscard]] task<progress> send_body();
    [[nodiscard]] task<progress> send_file();
    [[nodiscard]] task<progress> copy_file(file_range const& range);
    [[nodiscard]] task<progress> read_more_head();
    [[nodiscard]] task<arrival> receive(time_point deadline);
    [[nodiscard]] task<bool> flush();

    void keep_head(std::size_t with_body);
    progress refuse(unsigned code, std::string_view reason);
    [[nodiscard]] time_point deadline_in(duration length) const noexcept;

    server_core& home_;
    byte_stream& peer_;
    input_window input_;
    buffer output_;
    buffer head_;      // a copy of the head (and of a small body), for handlers that wait
    buffer body_;      // content that came in pieces
    response answer_;  // while its body is being sent
    http1::request_parser parser_;
    request request_;
    answer_frame frame_;
    handler chosen_;
    time_point head_deadline_ = never;
    std::size_t body_in_place_ = 0;  // bytes of content that stand in the window behind the head
    bool head_kept_ = false;         // the head is in head_, and no longer in the window
    bool over_ = false;              // nothing more is to be read or answered
};

}  // namespace rill::http
