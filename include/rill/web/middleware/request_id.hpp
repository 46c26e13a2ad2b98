// request_id: a name for each request, in its answer and in logs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// How requests are named.
struct request_id_options {
    /// The field that carries it.
    std::string_view field = "x-request-id";
    /// Takes the name that the client sends, where it is well formed: for servers behind a proxy
    /// that sets it. Off, a client cannot choose what stands in the log.
    bool from_client = false;
};
static_assert(std::is_trivially_destructible_v<request_id_options>);

/// Names each request with 128 random bits and says so in the answer.
class RILL_API request_id {
public:
    /// The most bytes of a name that a client may send: letters, digits and `-_.`.
    static constexpr std::size_t max_size = 128;

    /// Errors    `error` where the field is no token.
    explicit request_id(request_id_options const& options = {});
    /// Names it.
    std::optional<http::response> before(http::request& req) const;
    /// Adds the field.
    void after(http::request& req, http::response& answer) const;

private:
    std::string field_;
    bool from_client_;
};

/// The name of a request; empty where no `request_id` runs around its handler.
[[nodiscard]] RILL_API std::string_view request_id_of(http::request const& req) noexcept;

}  // namespace rill::web
