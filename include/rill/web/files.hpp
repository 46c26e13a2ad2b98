// files: a directory of real files, served. RFC 9110 section 9.3.1.
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>

#include "rill/base/export.hpp"
#include "rill/coro/task.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

/// How a directory is served.
struct files_options {
    /// A directory without an index file is answered with a page that lists it; else 404.
    bool listing = true;
    /// Names that begin with a dot are served and listed.
    bool show_hidden = false;
    /// The file that answers for its directory; empty for none.
    std::string_view index = "index.html";
};
static_assert(std::is_trivially_destructible_v<files_options>);

/// A handler that serves the files below a root: `app.get("/{path...}", web::files("public"))`.
/// The pattern's wildcard must be called `path`.
///
/// Nothing outside of the root can be reached, by no spelling and no link (RESOLVE_BENEATH).
/// Directories answer with their index file or with a page that lists them. Copies share the root.
class RILL_API files {
public:
    /// Opens the root. Throws `error` with the path where it is no directory.
    explicit files(std::string_view root, files_options const& options = {});

    /// Answers one request.
    [[nodiscard]] task<http::response> operator()(http::request& req) const;

private:
    class state;
    std::shared_ptr<state const> state_;
};

}  // namespace rill::web
