// The user of a request, and lists of names with secrets.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/http/request.hpp"

namespace rill::web {

/// Who has made the request: what a middleware for authentication has found out, or `set_user`.
/// Empty where nobody did.
[[nodiscard]] RILL_API std::string_view user_of(http::request const& req) noexcept;
/// For authentication of your own.
RILL_API void set_user(http::request& req, std::string_view name);

/// Names and their secrets, compared in a time that tells neither whether a name exists nor how
/// much of a secret is right. Secrets are kept as codes under a key that is drawn when the list is
/// made; they are not for storing: what is on disk belongs behind a slow hash (Argon2), with a
/// check of your own.
///
/// Core  any; unchanged while it is used.
class RILL_API secret_list {
public:
    secret_list();
    secret_list(secret_list&&) noexcept;
    secret_list& operator=(secret_list&&) noexcept;
    ~secret_list();

    /// Adds a name, or gives it another secret.
    secret_list& add(std::string_view name, std::string_view secret) &;
    /// The same.
    secret_list&& add(std::string_view name, std::string_view secret) &&;
    /// True where that is the secret of that name.
    [[nodiscard]] bool check(std::string_view name, std::string_view secret) const;
    /// The name whose secret that is: for tokens that stand for somebody. Looks at all.
    [[nodiscard]] std::optional<std::string> owner_of(std::string_view secret) const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace rill::web
