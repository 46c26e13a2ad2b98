// Making a ring: flags stripped step by step for older kernels, and a refusal explained.
#include "uring_setup.hpp"

#include <array>
#include <cerrno>
#include <fstream>

#include "rill/base/error.hpp"

namespace rill {

namespace {

// The best set first. SINGLE_ISSUER came with 6.0, DEFER_TASKRUN with 6.1, COOP_TASKRUN with 5.19;
// without one of the two task-run flags the kernel interrupts the core for every completion.
constexpr std::uint32_t always = IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
constexpr std::array<std::uint32_t, 4> ladder{
    always | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
        IORING_SETUP_TASKRUN_FLAG,
    always | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
    always | IORING_SETUP_SUBMIT_ALL,
    always,
};

int read_number(char const* path) {
    std::ifstream file(path);
    int value = -1;
    file >> value;
    return value;
}

int set_up(io_uring& ring, uring_options const& options, std::uint32_t flags) {
    if (options.faults.refuse_setup != 0) return -options.faults.refuse_setup;
    if ((flags & options.faults.refuse_flags) != 0) return -EINVAL;
    io_uring_params params{};
    params.flags = flags;
    params.cq_entries =
        options.completion_entries != 0 ? options.completion_entries : options.entries * 4;
    return io_uring_queue_init_params(options.entries, &ring, &params);
}

/// What refused the ring: a call and a negated errno.
struct refusal {
    char const* call = nullptr;
    int code = 0;
};

/// Tries all that a filter of system calls may refuse on its own, and asks for multishot receive,
/// which cannot be asked for by name; it came with the same kernel as zero-copy sends.
refusal try_out(io_uring& ring) {
    constexpr unsigned most_operations = 256;
    alignas(io_uring_probe)
        std::array<std::byte, sizeof(io_uring_probe) + most_operations * sizeof(io_uring_probe_op)>
            memory{};
    auto* const probe = reinterpret_cast<io_uring_probe*>(memory.data());
    int code = io_uring_register_probe(&ring, probe, most_operations);
    if (code < 0) return {"io_uring_register", code};
    code = io_uring_submit_and_get_events(&ring);
    if (code < 0 && code != -EINTR) return {"io_uring_enter", code};
    if (io_uring_opcode_supported(probe, IORING_OP_SEND_ZC) == 0) {
        return {"io_uring_setup", -EINVAL};
    }
    return {};
}

}  // namespace

std::uint32_t set_up_ring(io_uring& ring, uring_options const& options) {
    refusal why;
    for (std::uint32_t const flags : ladder) {
        why = {"io_uring_setup", set_up(ring, options, flags)};
        if (why.code == 0) {
            why = try_out(ring);
            if (why.code == 0) return flags;
            io_uring_queue_exit(&ring);
            break;
        }
        if (why.code != -EINVAL) break;
    }
    throw error(system_error(-why.code), why.call, "this core's ring", setup_advice(-why.code));
}

std::string setup_advice(int errno_value) {
    switch (errno_value) {
        case EACCES:
        case EPERM: {
            int const disabled = read_number("/proc/sys/kernel/io_uring_disabled");
            if (disabled == 2) return "sysctl kernel.io_uring_disabled is 2; set it to 0";
            if (disabled == 1) {
                return "sysctl kernel.io_uring_disabled is 1; set it to 0, or put the user into "
                       "the group of kernel.io_uring_group";
            }
            return "a seccomp profile or security module refuses io_uring; Docker's and "
                   "containerd's default profiles do: allow io_uring_setup, io_uring_enter and "
                   "io_uring_register";
        }
        case ENOSYS:
            return "this kernel has no io_uring (it came with Linux 5.1), or a seccomp profile "
                   "hides it";
        case ENOMEM:
            return "locked memory is limited; raise it (ulimit -l, LimitMEMLOCK) or ask for fewer "
                   "ring entries";
        case EMFILE:
        case ENFILE:
            return "out of descriptors; raise ulimit -n (LimitNOFILE)";
        case EINVAL:
            return "this kernel is too old for rill's ring; Linux 6.0 or later is needed";
        default:
            return "see io_uring_setup(2)";
    }
}

}  // namespace rill
