// Text from a peer, made harmless for a log and a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rill::detail {

/// Appends `text` to `out`. Control characters (C0, DEL, C1), line separators, characters that
/// change the direction of the text, and bytes that are not UTF-8 become escapes such as `\n` and
/// `\x1b`; so do `"` and `\`, so that escapes and quotes are unambiguous. Other UTF-8 stays.
void append_escaped(std::string& out, std::string_view text);

}  // namespace rill::detail
