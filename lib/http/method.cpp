// Names of HTTP methods, both ways.
// RFC 9110 section 9.
#include "rill/http/method.hpp"

#include <array>

namespace rill::http {

namespace {

// In the order of the enumerators.
constexpr std::array names{
    std::string_view("GET"),         std::string_view("HEAD"),   std::string_view("POST"),
    std::string_view("PUT"),         std::string_view("DELETE"), std::string_view("CONNECT"),
    std::string_view("OPTIONS"),     std::string_view("TRACE"),  std::string_view("PATCH"),
    std::string_view("QUERY"),       std::string_view("COPY"),   std::string_view("LOCK"),
    std::string_view("MKCOL"),       std::string_view("MOVE"),   std::string_view("PROPFIND"),
    std::string_view("PROPPATCH"),   std::string_view("UNLOCK"), std::string_view("SEARCH"),
    std::string_view("ACL"),         std::string_view("BIND"),   std::string_view("REBIND"),
    std::string_view("UNBIND"),      std::string_view("REPORT"), std::string_view("MKACTIVITY"),
    std::string_view("CHECKOUT"),    std::string_view("MERGE"),  std::string_view("MKCALENDAR"),
    std::string_view("LINK"),        std::string_view("UNLINK"), std::string_view("PURGE"),
    std::string_view("M-SEARCH"),    std::string_view("NOTIFY"), std::string_view("SUBSCRIBE"),
    std::string_view("UNSUBSCRIBE"),
};
static_assert(names.size() == static_cast<std::size_t>(method::other));
static_assert(names.size() < 64, "a set of methods is one 64-bit word");

}  // namespace

std::string_view name_of(method value) noexcept {
    auto const index = static_cast<std::size_t>(value);
    return index < names.size() ? names[index] : std::string_view();
}

method method_named(std::string_view text) noexcept {
    // GET and POST are nearly everything, so they come first; the rest is a short scan.
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) return static_cast<method>(i);
    }
    return method::other;
}

}  // namespace rill::http
