// call_request: a request made by hand, for `co_await app.call(request)`: handlers without a port.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/http/headers.hpp"
#include "rill/http/method.hpp"

namespace rill::web {

/// A request for `router::call`:
/// `web::call_request(http::method::post, "/users").field("accept", "text/plain").body("name=x")`.
class RILL_API call_request {
public:
    /// A request of that target: "/a%20b?c=d". It is for the host `test` unless a field says else.
    call_request(http::method method, std::string_view target)
        : method_(http::name_of(method)), target_(target) {}
    /// The same with a method by its text.
    call_request(std::string_view method, std::string_view target)
        : method_(method), target_(target) {}

    /// Adds a field. Errors as in `http::headers::add`.
    call_request& field(std::string_view name, std::string_view value) {
        fields_.add(name, value);
        return *this;
    }
    /// The content. Its Content-Length is written unless there are trailers.
    call_request& body(std::string content) {
        body_ = std::move(content);
        return *this;
    }
    /// Adds a trailer field, which the content's reader has at its end. The request says that its
    /// content is chunked then.
    call_request& trailer(std::string_view name, std::string_view value) {
        trailers_.add(name, value);
        return *this;
    }
    /// A handler that reads its content gets it in pieces of this many bytes; 0, the default, is
    /// one piece. Try 1.
    call_request& pieces(std::size_t size) noexcept {
        piece_bytes_ = size;
        return *this;
    }
    /// The most bytes of the answer's body that are kept; 16 MiB unless set.
    call_request& most(std::size_t size) noexcept {
        most_bytes_ = size;
        return *this;
    }

private:
    friend class called;

    std::string method_;
    std::string target_;
    http::headers fields_;
    std::string body_;
    http::headers trailers_;
    std::size_t piece_bytes_ = 0;
    std::size_t most_bytes_ = 16 * 1024 * 1024;
};

}  // namespace rill::web
