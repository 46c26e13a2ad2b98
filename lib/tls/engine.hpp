// engine: one TLS connection without input or output of its own. Bytes go in and come out; nothing
// waits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

#include "rill/base/buffer.hpp"
#include "rill/base/bytes.hpp"
#include "rill/rt/lease.hpp"
#include "rill/tls/error.hpp"
#include "tls/context_state.hpp"

namespace rill::tls {

/// OpenSSL behind a BIO that reads from a lease and writes to a buffer.
///
/// Invariant: a step that wants input has used up all that it was fed.
class engine {
public:
    /// What a step came to.
    enum class progress { done, wants_input, wants_output, ended, failed };
    /// Answers that OpenSSL makes by itself wait once so many bytes are unsent, and reading with
    /// them.
    static constexpr std::size_t most_unsent = 64 * 1024;

    engine(context_state const& with, std::string_view name);
    engine(engine const&) = delete;
    engine& operator=(engine const&) = delete;

    /// Takes received bytes over; the ones before were used up.
    void feed(lease input) noexcept;
    /// Gives back what was fed and not used up.
    void drop_input() noexcept { input_.reset(); }
    /// True where there may be something to read without further input.
    [[nodiscard]] bool may_read() const noexcept;
    /// What is to be sent.
    [[nodiscard]] buffer& output() noexcept { return output_; }

    [[nodiscard]] progress handshake() noexcept;
    /// Decrypts into `into`; `count` is at least 1 where it is done.
    [[nodiscard]] progress read(mutable_bytes into, std::size_t& count) noexcept;
    /// Encrypts all of `what`.
    [[nodiscard]] progress write(bytes what) noexcept;
    /// Appends a close_notify to the output.
    void end() noexcept;

    /// Why a step failed.
    [[nodiscard]] std::error_code cause() const noexcept { return cause_; }
    /// The same as a sentence.
    [[nodiscard]] std::string_view failure() const noexcept { return failure_; }
    /// Notes a failure from outside where there was none before.
    void note(std::error_code cause, std::string_view text) noexcept;
    [[nodiscard]] SSL* get() const noexcept { return ssl_.get(); }

private:
    struct bio;  // the functions that OpenSSL calls
    static BIO_METHOD const* method();

    void expect(std::string_view name);
    [[nodiscard]] progress step(int outcome) noexcept;
    void diagnose(unsigned long code);
    static int judge(int good, X509_STORE_CTX* verdict) noexcept;

    ssl_ptr ssl_;
    std::string name_;
    lease input_;
    buffer output_;
    std::error_code cause_;
    std::string failure_;
    bool server_;
    bool verifies_;
    bool agreed_ = false;  // the handshake is done
    bool writing_ = false;
};

}  // namespace rill::tls
