// Tags of bodies in memory.
#include "rill/web/middleware/etag.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <variant>

#include "codec/digest.hpp"
#include "rill/rt/core.hpp"
#include "web/conditions.hpp"

namespace rill::web {

namespace {

bool is_in_memory(http::response::body_type const& body) noexcept {
    return std::holds_alternative<http::literal>(body) ||
           std::holds_alternative<std::string>(body) ||
           std::holds_alternative<http::shared_text>(body);
}

}  // namespace

void etag::after(http::request& req, http::response& answer) const {
    bool const reads = req.method() == http::method::get || req.method() == http::method::head;
    if (!reads || answer.status() != http::status::ok || !is_in_memory(answer.body())) return;
    std::string_view const text = answer.text();
    if (!answer.headers().contains("etag")) {
        if (options_.most_bytes != 0 && text.size() > options_.most_bytes) return;
        std::array<std::string_view, 1> const pieces = {text};
        // Half of the hash tells any two texts apart that will ever be made.
        answer.headers().set("etag", '"' + codec::sha256_hex(pieces).substr(0, 32) + '"');
    }
    auto const now = std::chrono::floor<std::chrono::seconds>(core::current().wall_now());
    switch (judge(req, validators_of(answer.headers(), now), now)) {
        case codec::preconditions::verdict::proceed:
            return;
        case codec::preconditions::verdict::not_modified:
            make_not_modified(answer);
            return;
        case codec::preconditions::verdict::failed:
            answer = http::response(http::status::precondition_failed);
    }
}

}  // namespace rill::web
