// A route's pattern, taken apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rill::web {

// Longer patterns are refused: building the tree goes as deep as a pattern is long.
inline constexpr std::size_t longest_pattern = 1024;

// Stand for a parameter and a wildcard in `pattern::shape`. Patterns hold no control characters.
inline constexpr char parameter_mark = '\x01';
inline constexpr char wildcard_mark = '\x02';

struct pattern {
    // The text in canonical spelling (`%` is `%25`, see request_access::canonical_path), with a
    // mark for each parameter. Patterns of the same shape fit the same paths.
    std::string shape;
    // Names of the parameters, in order.
    std::vector<std::string> names;
};

// Returns what is wrong with `text`, or null and fills `into`.
char const* parse_pattern(std::string_view text, pattern& into);

}  // namespace rill::web
