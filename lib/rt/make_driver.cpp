// Chooses the driver of a core.
#include "make_driver.hpp"

#include "simulated_driver.hpp"
#include "simulated_world.hpp"
#include "uring_driver.hpp"

namespace rill {

std::unique_ptr<driver> make_driver(core_options const& options) {
    if (simulated_world* const world = simulated_world::of_thread()) {
        simulated_options const& with = world->options();
        return std::make_unique<simulated_driver>(*world, with.receive_buffers,
                                                  with.receive_copies);
    }
    uring_options ring;
    ring.entries = options.ring_entries;
    ring.receive_buffers = options.receive_buffers;
    ring.receive_copies = options.receive_copies;
    return make_uring_driver(ring);
}

}  // namespace rill
