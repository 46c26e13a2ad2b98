// Making a ring: flags stripped step by step for older kernels, and a refusal explained.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <string>

#include "uring_driver.hpp"

namespace rill {

/// Makes `ring` and returns the flags that the kernel took. Throws `error` with the cause.
std::uint32_t set_up_ring(io_uring& ring, uring_options const& options);

/// What to change where io_uring_setup failed with `errno_value`.
[[nodiscard]] std::string setup_advice(int errno_value);

}  // namespace rill
