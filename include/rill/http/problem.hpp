// problem: an answer that is thrown.
// RFC 9457 (problem details for HTTP APIs).
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/http/status.hpp"

namespace rill::http {

/// Ends a handler with an error answer: `throw http::problem(404, "no such user")`.
///
/// The client gets the status and a small JSON document (application/problem+json) with `title`,
/// `status` and `detail`, and what is set beside:
///
///     throw http::problem(403, "the account holds 30").set_type("/problems/no-credit")
///         .set_member("balance", 30);
///
/// All of it is shown to the client: no secrets in it.
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

    /// A URI that names the kind of problem, best one with a page for people. Without it `title` is
    /// the status in words.
    problem& set_type(std::string_view uri) {
        type_ = uri;
        return *this;
    }
    /// The kind of problem in a few words, the same each time.
    problem& set_title(std::string_view text) {
        title_ = text;
        return *this;
    }
    /// A URI that names this one occurrence.
    problem& set_instance(std::string_view uri) {
        instance_ = uri;
        return *this;
    }
    /// Adds a member of its own to the document, for programs: text, a number or a bool. A number
    /// that is not finite becomes null.
    /// Errors    `error` invalid_argument for a name that is not three or more letters, digits and
    ///           `_`, a letter first, or that is one of the five above. Set each name once.
    problem& set_member(std::string_view name, std::string_view value);
    /// The same.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    problem& set_member(std::string_view name, Number value) {
        if constexpr (std::is_same_v<Number, bool>) {
            return set_flag(name, value);
        } else if constexpr (std::is_floating_point_v<Number>) {
            return set_number(name, static_cast<double>(value));
        } else if constexpr (std::is_unsigned_v<Number>) {
            return set_unsigned(name, value);
        } else {
            return set_integer(name, value);
        }
    }

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
    problem& set_number(std::string_view name, double value);
    problem& set_integer(std::string_view name, std::int64_t value);
    problem& set_unsigned(std::string_view name, std::uint64_t value);
    problem& set_flag(std::string_view name, bool value);
    void begin_member(std::string_view name);

    http::status status_;
    std::size_t detail_at_ = 0;
    std::string text_;
    std::string type_;
    std::string title_;
    std::string instance_;
    std::string members_;  // as they stand in the document, each with its comma
};

}  // namespace rill::http
