// Chooses the driver of a core.
#pragma once

#include <memory>

#include "driver.hpp"
#include "rill/rt/core.hpp"

namespace rill {

/// The driver that the options and the environment ask for. Throws `error` where it is refused.
[[nodiscard]] std::unique_ptr<driver> make_driver(core_options const& options);

}  // namespace rill
