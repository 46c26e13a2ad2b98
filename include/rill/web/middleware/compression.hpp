// compression: content that comes smaller to whom takes it so.
// RFC 9110 sections 8.4, 8.8.3.3 and 12.5.3.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/web/middleware.hpp"

namespace rill::web {

/// Which answers are compressed, and how hard.
struct compression_options {
    /// Smaller bodies are sent as they are: their heads cost more. Bytes.
    std::size_t least_bytes = 1024;
    /// For gzip: 1 (fast) to 9 (small); 0 leaves gzip out.
    int gzip_level = 6;
    /// For br: 1 to 11; 0 leaves it out. Above 4 it is for what is made once.
    int brotli_quality = 4;
    /// For zstd: 1 to 19; 0 leaves it out.
    int zstd_level = 3;
    /// Streams and large bodies that are being compressed at once, of all cores together: each
    /// takes some hundred KiB meanwhile. Above that, answers go as they are.
    std::size_t most_streams = 256;
};
static_assert(std::is_trivially_destructible_v<compression_options>);

/// Compresses what goes through it by the coding that the client wants most (Accept-Encoding); of
/// equals zstd, then br, then gzip. Which of them there are is decided when rill is built.
///
/// Compressed are text, JSON, JavaScript, XML, SVG, WebAssembly and plain fonts. Left as they are:
/// what has a Content-Encoding, parts (206, Content-Range), answers that say `no-transform` or
/// carry a digest of their bytes, and those without a body. Vary is set wherever it could have been
/// compressed. A strong entity tag becomes weak; Accept-Ranges is dropped.
///
/// A body in memory of up to 32 KiB is compressed at once; a larger one, and a file, in pieces
/// while it is sent, with other coroutines in between. Of a stream each piece that is written is
/// sent so that the client can read it: events arrive when they are sent, and small pieces compress
/// badly.
///
/// Security  Do not compress what holds a secret beside text that a stranger chooses: its length
///           tells the secret (BREACH).
/// Errors    `error` invalid_argument when a level is not one.
class RILL_API compression {
public:
    /// With these options.
    explicit compression(compression_options const& options = {});
    /// Compresses, or not.
    void after(http::request& req, http::response& answer) const;

private:
    compression_options options_;
    std::shared_ptr<std::atomic<std::size_t>> streams_;  // that are being compressed
};

}  // namespace rill::web
