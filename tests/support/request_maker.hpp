// A request without a connection: a head that was parsed from memory, as a connection does it.
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "http/request_access.hpp"
#include "rill/codec/http1_request.hpp"

namespace rill::test {

class request_maker {
public:
    explicit request_maker(http::method method, std::string_view target,
                           std::initializer_list<http::field> fields = {{"Host", "example"}}) {
        text_ = method == http::method::other ? "BREW" : http::name_of(method);
        text_.append(" ").append(target).append(" HTTP/1.1\r\n");
        for (http::field const f : fields) {
            text_.append(f.name).append(": ").append(f.value).append("\r\n");
        }
        text_ += "\r\n";
        http1::head_result const parsed = parser_.parse(text_);
        REQUIRE(parsed.state == http1::head_state::complete);
        begin_again();
    }
    request_maker(request_maker const&) = delete;
    request_maker& operator=(request_maker const&) = delete;

    // The same head in a request that forgets what was found in it.
    void begin_again() { http::detail::request_access::begin(req, parser_.head()); }

    // Moves the head, as a connection does for a handler that waits, and spoils the old place.
    void move_head() {
        moved_ = text_;
        text_.assign(text_.size(), '#');
        parser_.head().rebase(moved_.data());
        http::detail::request_access::assign(req, parser_.head());
    }

    http::request req;

private:
    std::string text_;
    std::string moved_;
    http1::request_parser parser_;
};

}  // namespace rill::test
