// A client for simulated HTTP servers: sends what it is told and checks every byte of the answers,
// by hand and without rill's codec. RFC 9112.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "rill/coro/as_result.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/tcp.hpp"
#include "rill/test.hpp"

namespace rill::sim {

/// An answer, taken off the stream.
struct answer {
    int status = 0;
    bool keep_alive = true;
    std::string body;
};

/// How a connection went on.
enum class ending { none, clean, broken, cut };

class http_client {
public:
    explicit http_client(tcp::stream&& peer) noexcept : peer_(std::move(peer)) {}

    [[nodiscard]] tcp::stream& peer() noexcept { return peer_; }
    /// How it ended: `clean` between two answers, `cut` by an end in the middle of one, `broken` by
    /// an error of the stream.
    [[nodiscard]] ending ended() const noexcept { return ended_; }

    /// Sends `text`; false where the stream is broken.
    task<bool> send(std::string_view text) {
        auto const sent = co_await as_result(peer_.write(text));
        if (!sent) ended_ = ending::broken;
        co_return sent.has_value();
    }

    /// The next answer; nothing where the connection has ended.
    task<std::optional<answer>> next() {
        answer got;
        bool const head = co_await until_text("\r\n\r\n");
        if (!head) co_return std::nullopt;
        std::string const fields = take(have_.find("\r\n\r\n") + 4);
        test::expect(fields.starts_with("HTTP/1.1 "), "an answer begins with its version");
        got.status = std::stoi(fields.substr(9, 3));
        got.keep_alive = fields.find("connection: close\r\n") == fields.npos;
        bool whole = true;
        if (fields.find("transfer-encoding: chunked\r\n") != fields.npos) {
            whole = co_await read_chunks(got.body);
        } else if (auto const at = fields.find("content-length: "); at != fields.npos) {
            std::size_t size = 0;
            std::from_chars(fields.data() + at + 16, fields.data() + fields.size(), size);
            whole = co_await until_size(size);
            if (whole) got.body = take(size);
        }
        if (!whole) {
            if (ended_ == ending::clean) ended_ = ending::cut;
            co_return std::nullopt;
        }
        co_return got;
    }

private:
    task<bool> until_size(std::size_t size) {
        bool more = true;
        while (more && have_.size() < size) more = co_await read_more();
        co_return more;
    }

    task<bool> until_text(std::string_view text) {
        bool more = true;
        while (more && have_.find(text) == have_.npos) more = co_await read_more();
        co_return more;
    }

    task<bool> read_more() {
        auto const part = co_await as_result(peer_.receive());
        if (!part) {
            ended_ = ending::broken;
            co_return false;
        }
        if (!*part) {
            ended_ = have_.empty() ? ending::clean : ending::cut;
            co_return false;
        }
        have_ += part->view().text();
        co_return true;
    }

    task<bool> read_chunks(std::string& body) {
        for (;;) {
            bool whole = co_await until_text("\r\n");
            if (!whole) co_return false;
            std::string const line = take(have_.find("\r\n") + 2);
            std::size_t size = 0;
            std::from_chars(line.data(), line.data() + line.size(), size, 16);
            whole = co_await until_size(size + 2);
            if (!whole) co_return false;
            body += take(size);
            test::expect(take(2) == "\r\n", "a chunk ends with a line end");
            if (size == 0) co_return true;
        }
    }

    std::string take(std::size_t size) {
        std::string const taken = have_.substr(0, size);
        have_.erase(0, size);
        return taken;
    }

    tcp::stream peer_;
    std::string have_;
    ending ended_ = ending::none;
};

}  // namespace rill::sim
