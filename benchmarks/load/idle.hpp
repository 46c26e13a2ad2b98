// Many kept connections that mostly rest: opened, asked once, and asked again on command.
#pragma once
#include "options.hpp"

namespace load {

/// Reads commands from standard input, one a line, and answers each with one JSON line:
/// `open N` opens connections until there are N and asks once on each new one, `ask` asks once on
/// every one, `quit` ends. Returns the exit status.
[[nodiscard]] int run_idle(options const& chosen);

}  // namespace load
