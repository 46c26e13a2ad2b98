// A handler called without a connection: the request's head is parsed as one that came from a
// client, the answer's body is gathered in memory.
#include "rill/web/call.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "http/request_access.hpp"
#include "rill/base/error.hpp"
#include "rill/codec/http1_request.hpp"
#include "rill/http/body_stream.hpp"
#include "rill/http/problem.hpp"
#include "rill/http/server.hpp"
#include "rill/io/file.hpp"
#include "rill/web/router.hpp"

namespace rill::web {

using http::detail::request_access;

namespace {

/// Content that is there as a whole, given piece by piece.
class memory_content final : public http::body_reader {
public:
    memory_content(bytes content, std::size_t piece_bytes, http::headers const& trailers) noexcept
        : left_(content), size_(content.size()), piece_bytes_(piece_bytes), trailers_(trailers) {}

    task<http::body_piece> read() override {
        std::size_t const most = piece_bytes_ == 0 ? left_.size() : piece_bytes_;
        bytes const piece = left_.first(std::min(most, left_.size()));
        left_ = left_.without_first(piece.size());
        at_end_ = piece.empty();
        co_return http::body_piece(piece);
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const noexcept override {
        return trailers_.empty() ? std::optional(size_) : std::nullopt;
    }
    [[nodiscard]] http::headers const& trailers() const override {
        static http::headers const none;
        return at_end_ ? trailers_ : none;
    }

private:
    bytes left_;
    std::uint64_t size_;
    std::size_t piece_bytes_;
    http::headers const& trailers_;
    bool at_end_ = false;
};

[[noreturn]] void refuse_size() {
    throw error(errc::limit_exceeded, "keep the body of an answer", {}, "raise call_request::most");
}

/// Gathers what a producer writes.
class memory_writer final : public http::body_writer {
public:
    explicit memory_writer(std::size_t most) noexcept : most_(most) {}
    task<> write(bytes piece) override {
        if (piece.size() > most_ - text_.size()) refuse_size();
        text_ += piece.text();
        co_return;
    }
    void trailer(std::string_view, std::string_view) override {}
    event& stopping() noexcept override { return stopping_; }
    [[nodiscard]] std::string take() noexcept { return std::move(text_); }

private:
    std::size_t most_;
    std::string text_;
    event stopping_;  // never set: no server stops here
};

task<std::string> read_file(http::file_range const& range) {
    std::string text(static_cast<std::size_t>(range.size()), '\0');
    std::size_t size = 0;
    while (size != text.size()) {
        mutable_bytes const room(text.data() + size, text.size() - size);
        std::size_t const got =
            co_await file::read(range.descriptor(), room, range.offset() + size);
        if (got == 0) throw error(errc::end_of_stream, "read the body of an answer");
        size += got;
    }
    co_return text;
}

// A head that a server refuses as it stands is refused here, too.
http1::request_limits limits_of_a_server() noexcept {
    http::server_options const defaults;
    return {.target_bytes = defaults.target_bytes,
            .head_bytes = defaults.head_bytes,
            .field_count = defaults.field_count};
}

}  // namespace

/// One call: the request and all that its handler may look at.
class called final : private http::detail::request_source {
public:
    called(router const& app, call_request const& of)
        : app_(app),
          of_(of),
          parser_(limits_of_a_server()),
          content_(bytes(of.body_), of.piece_bytes_, of.trailers_) {
        text_ = of.method_ + ' ' + of.target_ + " HTTP/1.1\r\n";
        if (!of.fields_.contains("host")) text_ += "host: test\r\n";
        text_ += of.fields_.wire();
        if (!of.trailers_.empty()) {
            text_ += "transfer-encoding: chunked\r\n";
        } else if (!of.body_.empty() && !of.fields_.contains("content-length")) {
            text_ += "content-length: " + std::to_string(of.body_.size()) + "\r\n";
        }
        text_ += "\r\n";
        request_access::set_source(req_, *this);
    }
    called(called const&) = delete;
    called& operator=(called const&) = delete;
    ~called() { finish(false); }

    task<http::response> run() {
        std::optional<http::response> answer;
        try {
            answer = co_await ask();
        } catch (http::problem const& known) {
            answer = http::to_response(known);
        }
        std::string body;
        if (of_.method_ != "HEAD") body = co_await take_body(*answer);
        http::literal const type = answer->default_content_type();
        answer->set_body(std::move(body), type);
        end_ = {http::code_of(answer->status()), answer->body_size()};
        finish(true);
        co_return *std::move(answer);
    }

private:
    [[nodiscard]] http::client_info client_of(http::request const& req) const override {
        return {.address = {}, .scheme = "http", .host = std::string(req.host())};
    }
    // A bug in a handler is to be seen by the test that found it.
    [[nodiscard]] http::response answer_to(std::exception_ptr failure) override {
        try {
            std::rethrow_exception(std::move(failure));
        } catch (http::problem const& known) {
            return http::to_response(known);
        }
    }
    void at_finish(http::detail::finish_hook* hook) noexcept override {
        hook->next = std::exchange(hooks_, hook);
    }
    void finish(bool whole) noexcept {
        end_.whole = whole;
        while (hooks_ != nullptr) {
            http::detail::finish_hook* const hook = hooks_;
            hooks_ = hook->next;
            hook->call(hook, req_, end_);
            hook->destroy(hook);
        }
    }

    task<http::response> ask() {
        http1::head_result const parsed = parser_.parse(text_);
        if (parsed.state != http1::head_state::complete) {
            throw http::problem(parsed.status == 0 ? 400 : parsed.status, parsed.reason);
        }
        request_access::begin(req_, parser_.head());
        http::handler const chosen = app_.choose(req_);
        std::uint64_t limit = http::server_options().body_bytes;
        if (chosen.bounds != nullptr && chosen.bounds->limits.body_bytes != 0) {
            limit = chosen.bounds->limits.body_bytes;
        }
        if (of_.body_.size() > limit) throw http::problem(413);
        if (chosen.content == http::content_mode::streamed) {
            request_access::set_reader(req_, &content_);
        } else {
            request_access::set_body(req_, of_.body_);
        }
        http::response answer = co_await next(chosen)(req_);
        co_return answer;
    }

    task<std::string> take_body(http::response& answer) {
        if (answer.body_size() > of_.most_bytes_) refuse_size();
        if (auto const* range = std::get_if<http::file_range>(&answer.body())) {
            std::string text = co_await read_file(*range);
            co_return text;
        }
        if (auto* producer = std::get_if<http::body_stream>(&answer.body())) {
            memory_writer all(of_.most_bytes_);
            co_await producer->run(all);
            co_return all.take();
        }
        co_return std::string(answer.text());
    }

    router const& app_;
    call_request const& of_;
    std::string text_;
    http1::request_parser parser_;
    memory_content content_;
    http::streaming_request req_;
    http::detail::finish_hook* hooks_ = nullptr;  // owned, the last one first
    http::finished end_;
};

task<http::response> router::call(call_request const& request) {
    freeze();
    called one(*this, request);
    http::response answer = co_await one.run();
    co_return answer;
}

}  // namespace rill::web
