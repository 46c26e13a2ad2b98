// Users and secrets.
#include "rill/web/middleware/user.hpp"

#include <array>
#include <functional>
#include <map>
#include <utility>

#include "codec/digest.hpp"

namespace rill::web {

namespace {

struct known_user {
    std::string_view name;
};

bool same(codec::hmac_sha256::code const& left, codec::hmac_sha256::code const& right) noexcept {
    return codec::equal_in_constant_time(bytes(left.data(), left.size()).text(),
                                         bytes(right.data(), right.size()).text());
}

}  // namespace

std::string_view user_of(http::request const& req) noexcept {
    auto const* const found = req.attached<known_user>();
    return found == nullptr ? std::string_view() : found->name;
}

void set_user(http::request& req, std::string_view name) {
    req.attach(known_user{req.keep(name)});
}

struct secret_list::parts {
    [[nodiscard]] codec::hmac_sha256::code code_of(std::string_view secret) const {
        std::array<std::string_view, 1> const pieces = {secret};
        return key.of(pieces);
    }

    codec::hmac_sha256 key = codec::hmac_sha256::with_random_key();
    std::map<std::string, codec::hmac_sha256::code, std::less<>> codes;
};

secret_list::secret_list() : parts_(std::make_unique<parts>()) {}
secret_list::secret_list(secret_list&&) noexcept = default;
secret_list& secret_list::operator=(secret_list&&) noexcept = default;
secret_list::~secret_list() = default;

secret_list& secret_list::add(std::string_view name, std::string_view secret) & {
    parts_->codes.insert_or_assign(std::string(name), parts_->code_of(secret));
    return *this;
}

secret_list&& secret_list::add(std::string_view name, std::string_view secret) && {
    add(name, secret);
    return std::move(*this);
}

bool secret_list::check(std::string_view name, std::string_view secret) const {
    // Who is nobody is compared with a code that none has, for as long as who is somebody.
    static constexpr codec::hmac_sha256::code nobody{};
    auto const found = parts_->codes.find(name);
    bool const exists = found != parts_->codes.end();
    bool const right = same(exists ? found->second : nobody, parts_->code_of(secret));
    return right && exists;
}

std::optional<std::string> secret_list::owner_of(std::string_view secret) const {
    auto const code = parts_->code_of(secret);
    std::optional<std::string> owner;
    for (auto const& [name, wanted] : parts_->codes) {
        if (same(wanted, code)) owner = name;
    }
    return owner;
}

}  // namespace rill::web
