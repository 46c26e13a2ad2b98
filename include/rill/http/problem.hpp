// problem: an answer that is thrown.
// RFC 9457 (problem details for HTTP APIs).
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/http/status.hpp"

namespace rill::http {

/// Ends a handler with an error answer: `throw http::problem(404, "no such user")`.
///
/// The client gets the status and a small JSON document (application/problem+json) with `title`,
/// `status` and `detail`. The detail is shown to the client: no secrets in it.
class RILL_API problem : public std::exception {
public:
    /// `detail` is for people and says what was wrong with this one request; may be empty.
    explicit problem(http::status status, std::string_view detail = {});
    /// The same with the three digits: 100..999.
    explicit problem(int status, std::string_view detail = {});
    problem(problem const&) = default;
    problem(problem&&) = default;
    problem& operator=(problem const&) = default;
    problem& operator=(problem&&) = default;
    ~problem() override;

    /// The status of the answer.
    [[nodiscard]] http::status status() const noexcept { return status_; }
    /// What was wrong; may be empty.
    [[nodiscard]] std::string_view detail() const noexcept {
        return std::string_view(text_).substr(detail_at_);
    }
    /// "404 Not Found: no such user".
    [[nodiscard]] char const* what() const noexcept override { return text_.c_str(); }
    /// The JSON document. Text that is not UTF-8 has its bad bytes replaced.
    [[nodiscard]] std::string json() const;

private:
    http::status status_;
    std::size_t detail_at_ = 0;
    std::string text_;
};

}  // namespace rill::http
