// What stands in for the kernel's files on the thread of a simulation. The callers know this face
// of it alone, so that no program has a simulator in it that does not simulate.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "file_calls.hpp"
#include "pipe_calls.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"
#include "simulated_here.hpp"
#include "watch_calls.hpp"

namespace rill {

/// Numbers are results or a negated errno, as system calls give them; flags are those of open(2).
class simulated_calls {
public:
    simulated_calls() = default;
    simulated_calls(simulated_calls const&) = delete;
    simulated_calls& operator=(simulated_calls const&) = delete;

    /// The files of this thread's world; null where there is none.
    [[nodiscard]] static simulated_calls* of_thread() noexcept {
        simulated_here const* const here = simulated_here::of_thread();
        return here != nullptr ? &here->files : nullptr;
    }
    /// Writes down what came of a call, and gives it back.
    virtual int noted(char const* what, std::string_view on, int value) = 0;

    // As file_calls. The first does not fail by chance: a root is opened as a program starts.
    [[nodiscard]] virtual int open_directory(std::string_view path) = 0;
    [[nodiscard]] virtual result<file_calls::status> status_of(int descriptor) const = 0;
    /// In the order of their names, from behind `after` on, at most `most`.
    [[nodiscard]] virtual result<std::vector<file_calls::entry>> list(
        int directory, std::string_view after = {},
        std::size_t most = std::numeric_limits<std::size_t>::max()) = 0;
    virtual void close(int descriptor) noexcept = 0;

    // As path_steps.
    [[nodiscard]] virtual int open_at(int in, std::string_view path, int flags, std::uint32_t mode,
                                      bool beneath) = 0;
    [[nodiscard]] virtual int copy(int descriptor) = 0;
    [[nodiscard]] virtual int write_on(int descriptor, std::string_view content) = 0;
    [[nodiscard]] virtual int sync(int descriptor) = 0;
    [[nodiscard]] virtual int truncate(int descriptor, std::uint64_t size) = 0;
    [[nodiscard]] virtual int make_directory(int in, std::string_view name, std::uint32_t mode) = 0;
    [[nodiscard]] virtual int remove(int in, std::string_view name, bool directory) = 0;
    [[nodiscard]] virtual int rename(int from_in, std::string_view from, int to_in,
                                     std::string_view to, bool replace) = 0;
    [[nodiscard]] virtual int link(int file, int in, std::string_view name) = 0;

    // As pipe_calls.
    [[nodiscard]] virtual result<pipe_calls::ends> open_pipe() = 0;
    [[nodiscard]] virtual result<pipe_calls::nature> nature_of(int descriptor) const = 0;
    [[nodiscard]] virtual int read_pipe(int descriptor, mutable_bytes into) = 0;
    [[nodiscard]] virtual int write_pipe(int descriptor, bytes from) = 0;

    // As watch_calls.
    [[nodiscard]] virtual int open_watches() = 0;
    [[nodiscard]] virtual int watch(int queue, std::string_view path) = 0;
    /// Ends one watch of `queue`, which is told. False where there is none.
    virtual bool unwatch(int queue, int watch) = 0;
    /// What has come to `queue`, at most as much as one read(2) of rill takes.
    [[nodiscard]] virtual std::vector<watch_calls::event> read_watches(int queue) = 0;

protected:
    ~simulated_calls() = default;
};

}  // namespace rill
