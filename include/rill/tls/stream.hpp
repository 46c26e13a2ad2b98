// stream: TLS over any byte stream, and a byte stream itself. RFC 8446, RFC 5246, RFC 9525.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/io/byte_stream.hpp"
#include "rill/tls/context.hpp"
#include "rill/tls/error.hpp"

namespace rill::tls {

/// TLS over another stream: what is written is encrypted, what is received was decrypted.
///
/// First `handshake`, then it is a `byte_stream` like any other. Its end is told from a cut: where
/// the peer says that it ends (close_notify), receiving gives an empty lease; where the stream
/// below ends without that, it fails with `errc::truncated`, because anybody on the way could have
/// ended it. `finish` sends our close_notify and then ends the stream below; `close` alone is a cut
/// for the peer.
///
/// A write is encrypted when its turn comes, in parts of at most 64 KiB. One that is stopped after
/// that leaves the stream `write_broken`, as its records cannot be taken back.
///
/// Lifetime  the stream below outlives it, and nobody else reads or writes it. Waits have ended and
///           leases have come back before it ends.
/// Core      one core, that of the stream below.
/// Cost      an idle connection holds no buffers of input and output: OpenSSL's are released, and
///           ours is allocated again for what is written next.
class RILL_API stream final : public byte_stream {
public:
    /// Bytes of a write that are encrypted at once.
    static constexpr std::size_t most_encrypted = 64 * 1024;
    /// Unread input, or leases that are out; receiving waits for one to come back.
    static constexpr std::size_t most_leases = 16;

    /// TLS over `below`, the side that `with` is for. A client says whom it wants to reach: a name
    /// ("example.org"), which is also sent (SNI), or an IP address ("192.0.2.1", "2001:db8::1"),
    /// which is not (RFC 6066 section 3). It may be left out where the client is `insecure`.
    stream(byte_stream& below, context const& with, std::string_view name = {});
    ~stream();

    /// Agrees with the peer on keys, and verifies who it is.
    ///
    /// Errors    those of `errc`, and of the stream below; `timed_out` after `deadline`. `failure`
    ///           says more. The stream is of no further use then, but to be closed.
    /// Cancel    the stream can only be closed.
    [[nodiscard]] task<result<void>> handshake(time_point deadline = never);

    /// Why the handshake or the stream failed, as a sentence; empty where it did not.
    [[nodiscard]] std::string_view failure() const noexcept;

    /// The version of the connection; none before the handshake is done.
    [[nodiscard]] std::optional<tls::version> version() const noexcept;
    /// The cipher suite's name ("TLS_AES_128_GCM_SHA256"); empty before the handshake.
    [[nodiscard]] std::string_view cipher() const noexcept;
    /// The protocol that was agreed on by ALPN; empty where none was.
    [[nodiscard]] std::string_view protocol() const noexcept;
    /// The name that the client wants to reach; empty where it named none.
    [[nodiscard]] std::string_view server_name() const noexcept;

    void finish() noexcept override;
    void close() noexcept override;
    /// As the stream below: it sees the end of the connection, not a close_notify before it.
    void watch_end(chain* who) noexcept override;
    [[nodiscard]] address remote_address() const override;
    [[nodiscard]] address local_address() const override;

private:
    class state;

    [[nodiscard]] std::optional<result<lease>> begin_receive(input_waiter& who) noexcept override;
    [[nodiscard]] bool stop_receive(input_waiter& who) noexcept override;
    void put_back(lease input) noexcept override;
    [[nodiscard]] std::optional<result<void>> begin_write(pending_write& what) noexcept override;
    void stop_write(pending_write& what, std::error_code why) noexcept override;

    state* state_;  // ends itself once the stream below has let go of it
};

/// Ends the stream so that both sides know it for whole: sends close_notify, then reads and drops
/// what still comes until the peer has ended its side, `most_bytes` have come or `longest` has
/// passed; then closes.
[[nodiscard]] RILL_API task<> close_gracefully(stream& what, std::size_t most_bytes = 256 * 1024,
                                               duration longest = 2s);

}  // namespace rill::tls
