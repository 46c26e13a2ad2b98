// How a connection fills a request, and how a router reads and marks it.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "rill/http/request.hpp"
#include "rill/http/streaming_request.hpp"

namespace rill::http::detail {

// The only door to the private parts of a request.
struct request_access {
    // Fills a request from `head`, which must outlive it, in place of what was in it.
    static void begin(request& req, http1::request_head const& head) noexcept {
        req.scratch_.clear();
        req.body_ = {};
        req.parameters_.count = 0;
        req.allowed_methods_ = 0;
        req.attachments_ = nullptr;
        req.decoded_path_ = nullptr;
        assign(req, head);
    }

    // The head's bytes were copied and the head rebased: what a router found stays.
    static void assign(request& req, http1::request_head const& head) noexcept {
        req.head_ = &head;
        req.path_ = head.path();
        req.method_ = head.method();
        req.path_has_percent_ =
            req.path_.size() > 1 && std::memchr(req.path_.data(), '%', req.path_.size()) != nullptr;
    }

    static void set_body(request& req, rill::bytes content) noexcept {
        req.body_ = request_body(content);
    }

    static void set_source(request& req, request_source& source) noexcept { req.source_ = &source; }

    static void set_reader(streaming_request& req, body_reader* reader) noexcept {
        req.reader_ = reader;
    }

    // The path in the one spelling that routers compare: every octet that can be decoded without
    // changing where segments end or what is decoded later is decoded, so only %25 and %2F are
    // left. Decoding a segment of it once gives what decoding the same segment of the sent path
    // once gives. Nothing when a '%' is not followed by two hexadecimal digits.
    static std::optional<std::string_view> canonical_path(request& req) {
        return req.path_has_percent_ ? decode_path(req) : req.encoded_path();
    }

    // 1 for one that was made by hand.
    static unsigned minor_version(request const& req) noexcept {
        return req.head_ == nullptr ? 1 : req.head_->minor_version();
    }

    // The answer to what a handler threw. A request that was made by hand throws it again.
    RILL_API static response answer_to(request const& req, std::exception_ptr failure);

    static bool has_percent(request const& req) noexcept { return req.path_has_percent_; }
    static path_parameters& parameters(request& req) noexcept { return req.parameters_; }
    static std::uint64_t& allowed_methods(request& req) noexcept { return req.allowed_methods_; }

private:
    static std::optional<std::string_view> decode_path(request& req);
};

}  // namespace rill::http::detail
