// Fuzzes Authorization: what is read lies inside what was sent, and a name holds no colon.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rill/base/assert.hpp"
#include "rill/codec/authorization.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace rill;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    auto const sent = codec::parse_credentials(text);
    if (!sent) return 0;
    RILL_ASSERT(!sent->scheme.empty(), "credentials begin with a scheme");
    RILL_ASSERT(sent->scheme.size() + sent->rest.size() <= size, "views of what was sent");
    if (auto const who = codec::parse_basic(sent->rest)) {
        RILL_ASSERT(codec::is_token68(sent->rest), "base64 is a token");
        RILL_ASSERT(who->user.find(':') == std::string::npos, "a name has no colon");
        RILL_ASSERT(who->user.size() + who->password.size() < sent->rest.size(), "three of four");
    }
    codec::auth_parameter_reader all(sent->rest);
    while (auto const each = all.next()) {
        RILL_ASSERT(http1::is_token(each->name), "names are tokens");
        bool const quoted = each->value.starts_with('"');
        RILL_ASSERT(quoted || http1::is_token(each->value), "values are tokens or quoted");
        if (quoted) static_cast<void>(http1::unquote(each->value));
    }
    return 0;
}
