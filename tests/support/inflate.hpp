// What was compressed, taken apart again by the libraries of the codings and not by rill.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rill::test {

/// What `text` of that coding ("gzip", "br", "zstd") can be read as so far: nothing where it is
/// malformed. `whole` wants its end as well.
[[nodiscard]] std::optional<std::string> inflated(std::string_view coding, std::string_view text,
                                                  bool whole = true);

}  // namespace rill::test
