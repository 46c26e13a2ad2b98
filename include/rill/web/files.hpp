// files: a directory of real files, served.
// RFC 9110 sections 9.3.1 (GET), 12.5.3 (Accept-Encoding), 13 (conditions) and 14 (ranges).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/base/time.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

/// The content type of files by an extension, in place of `content_type`'s.
struct type_of_extension {
    std::string_view extension;  ///< Without its dot, in any case: "glsl".
    http::literal type;          ///< "text/plain; charset=utf-8".
};

/// How a directory is served. Texts and types are copied.
struct files_options {
    /// A directory without an index file lists itself; else 404.
    bool listing = true;
    /// Names that begin with a dot are served and listed.
    bool show_hidden = false;
    /// The file that answers for its directory; empty for none.
    std::string_view index = "index.html";
    /// The value of Cache-Control of files ("max-age=3600", "no-cache"); empty for none, and then
    /// caches guess from the age of a file.
    std::string_view cache_control = {};
    /// `a.js` is answered with `a.js.br`, `a.js.zst` or `a.js.gz` beside it where the client
    /// accepts that, by its weights, and then in this order. A sibling that is older than its file
    /// is not used. Costs up to three more opens for each file.
    bool precompressed = false;
    /// The file below the root that answers with 200 where there is none of that path, for programs
    /// that run in the browser ("index.html"); empty for none. A path whose last segment has a dot
    /// is still 404, so that a missing script is no page.
    std::string_view fallback = {};
    /// Content types by extension that go before the table's.
    std::span<type_of_extension const> types = {};

    /// Files of up to this many bytes are kept in memory, by each core for itself, as soon as they
    /// have been at rest for a moment. Not where `precompressed` is set.
    std::size_t kept_file_bytes = 64 * 1024;
    /// Bytes of the files that a core keeps together; 0 keeps none. Those that were not asked for
    /// for longest go first.
    std::size_t kept_bytes = 8 * 1024 * 1024;
    /// Paths that a core remembers, each with the file that it led to; 0 keeps none.
    std::size_t kept_names = 1024;
    /// How long a path is answered from memory before it is opened again, which finds everything
    /// that may have become of it; the file is read again where it is another, or has changed. 0
    /// opens it for each request.
    duration kept_for = 1s;
};
static_assert(std::is_trivially_destructible_v<files_options>);

/// A handler that serves the files below a root: `app.get("/{path...}", web::files("public"))`.
/// The pattern's wildcard must be called `path`.
///
/// Nothing outside of the root can be reached, by no spelling and no link (RESOLVE_BENEATH).
/// Directories answer with their index file or list themselves: as a page, or as JSON (`name`,
/// `href`, `type`, `size`, `modified` of each) where Accept wants application/json more than
/// text/html. Copies share the root.
///
/// Files have an entity tag, made of which file it is, when it was written and its size; conditions
/// are answered with 304 and 412. Ranges are answered with 206 and 416, several as
/// multipart/byteranges; more than `codec::most_byte_ranges` or overlapping ones with the whole.
/// A method but GET and HEAD, where the route lets one through, is 405.
///
/// Small files are kept in memory, each once whatever the names that lead to it, and a change of
/// one (written, replaced, removed, forbidden) is seen after `files_options::kept_for` at the
/// latest.
///
/// Core  all cores of one run: its servers may share it, those of two runs at the same time not.
class RILL_API files {
public:
    /// Opens the root. Throws `error` with the path where it is no directory.
    explicit files(std::string_view root, files_options const& options = {});

    /// Answers one request.
    [[nodiscard]] task<http::response> operator()(http::request& req) const;
    /// The answer where it is in memory and the whole of a file; nothing otherwise. Servers ask
    /// this first, and spare the coroutine.
    [[nodiscard]] std::optional<http::response> ready(http::request& req) const;

private:
    class state;
    std::shared_ptr<state const> state_;
};

}  // namespace rill::web
