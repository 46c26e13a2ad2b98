// cors: which pages of other origins may read the answers. WHATWG Fetch, section 3.2.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// Answers preflights and says which origins may read an answer:
/// `api.use(web::cors().origin("https://app.example").method("PUT").credentials())`.
///
/// Without `origin` or `any_origin` nobody may. An origin that may not gets the answer without the
/// fields, which the browser then keeps from the page; requests of other clients are as ever.
class RILL_API cors {
public:
    cors() = default;
    /// Lets in this origin, as browsers write it: "https://app.example:8443".
    /// Errors    `error` for a text that is no origin ("*": use `any_origin`).
    cors& origin(std::string_view text);
    /// Lets in all origins, which is said as `*`. Never together with `credentials`, in either
    /// order: `error`, because any page could then act in the name of its visitor.
    cors& any_origin();
    /// Lets pages send cookies and other credentials.
    cors& credentials();
    /// Allows a method beside GET, HEAD and POST, which need no leave. Errors for what is no token.
    cors& method(std::string_view name);
    /// Allows pages to send a field. Errors for what is no token.
    cors& header(std::string_view name);
    /// Allows pages to read a field of the answer. Errors for what is no token.
    cors& expose(std::string_view name);
    /// How long a browser may remember the answer to a preflight; 5 s, its own default, unless set.
    cors& max_age(std::chrono::seconds length);

    /// Answers preflights.
    std::optional<http::response> before(http::request& req) const;
    /// Adds the fields.
    void after(http::request& req, http::response& answer) const;

private:
    void say_who(http::request const& req, http::response& answer) const;

    std::vector<std::string> origins_;
    bool any_origin_ = false;
    bool credentials_ = false;
    std::string methods_;
    std::string headers_;
    std::string exposed_;
    std::string max_age_;
};

}  // namespace rill::web
