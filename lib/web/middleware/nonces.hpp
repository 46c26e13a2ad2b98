// The nonces of digest authentication: made without a trace, remembered once they are used.
// RFC 7616 sections 3.3 and 5.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "codec/digest.hpp"
#include "rill/base/time.hpp"

namespace rill::web {

// A nonce is the moment when it was made, some random digits and a code over both, so those that
// nobody uses cost no memory. One that was used is in a table of fixed size until it is too old.
class nonces {
public:
    nonces(duration lifetime, std::size_t most) : lifetime_(lifetime), most_(most) {}
    nonces(nonces const&) = delete;
    nonces& operator=(nonces const&) = delete;

    enum class verdict : std::uint8_t {
        good,
        stale,   // it was good: another one may be taken without asking the user
        forged,  // it was never given, or its count was used before
    };

    [[nodiscard]] std::string make(time_point now) const;
    // Whether it was made here, and is not too old.
    [[nodiscard]] verdict look(std::string_view nonce, time_point now) const;
    // Uses up `count` of a nonce that `look` found good.
    [[nodiscard]] verdict use(std::string_view nonce, std::uint32_t count);

private:
    struct used {
        std::string nonce;
        std::uint32_t count;
    };
    [[nodiscard]] std::string code_of(std::string_view text) const;

    duration lifetime_;
    std::size_t most_;
    codec::hmac_sha256 key_ = codec::hmac_sha256::with_random_key();
    std::mutex lock_;
    // In the order of their first use; the table's keys are views of them.
    std::list<used> in_order_;
    std::unordered_map<std::string_view, std::list<used>::iterator> table_;
    // A nonce made up to this moment that is not in the table may be one that was forgotten.
    std::string forgotten_;
};

}  // namespace rill::web
