// Nonces by their moment and a code over it.
#include "web/middleware/nonces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "web/random_hex.hpp"

namespace rill::web {

namespace {

constexpr std::size_t moment_size = 16;
constexpr std::size_t random_size = 16;
constexpr std::size_t code_size = std::tuple_size_v<codec::code_text>;

// Digits of one width, so that texts are ordered as the moments are.
std::string text_of(time_point when) {
    return fmt::format("{:016x}", static_cast<std::uint64_t>(when.time_since_epoch().count()));
}

}  // namespace

std::string nonces::code_of(std::string_view text) const {
    std::array<std::string_view, 1> const pieces = {text};
    auto const code = codec::text_of(key_.of(pieces));
    return {code.data(), code.size()};
}

std::string nonces::make(time_point now) const {
    std::string text = text_of(now);
    auto const random = random_hex<random_size / 2>();
    text.append(random.data(), random.size());
    return text + code_of(text);
}

nonces::verdict nonces::look(std::string_view nonce, time_point now) const {
    constexpr std::size_t said = moment_size + random_size;
    if (nonce.size() != said + code_size) return verdict::forged;
    std::string const code = code_of(nonce.substr(0, said));
    if (!codec::equal_in_constant_time(code, nonce.substr(said))) return verdict::forged;
    // What is older than the clock is nobody's.
    time_point const oldest = std::max(now - lifetime_, time_point());
    return nonce.substr(0, moment_size) < text_of(oldest) ? verdict::stale : verdict::good;
}

nonces::verdict nonces::use(std::string_view nonce, std::uint32_t count) {
    std::lock_guard const held(lock_);
    if (auto const found = table_.find(nonce); found != table_.end()) {
        std::uint32_t& last = found->second->count;
        if (count <= last) return verdict::forged;
        last = count;
        return verdict::good;
    }
    if (nonce.substr(0, moment_size) <= forgotten_) return verdict::stale;
    if (in_order_.size() == most_) {
        used const& oldest = in_order_.front();
        forgotten_ = std::max(forgotten_, oldest.nonce.substr(0, moment_size));
        table_.erase(oldest.nonce);
        in_order_.pop_front();
    }
    in_order_.push_back({std::string(nonce), count});
    table_.emplace(in_order_.back().nonce, std::prev(in_order_.end()));
    return verdict::good;
}

}  // namespace rill::web
