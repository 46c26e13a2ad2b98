// The files of a simulated world: what is open of them, and what a disk does to calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "file_calls.hpp"
#include "pipe_calls.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"
#include "rill/rt/request.hpp"
#include "simulated_calls.hpp"
#include "simulated_pipe.hpp"
#include "simulated_sink.hpp"
#include "simulated_tree.hpp"
#include "simulated_watches.hpp"

namespace rill {

class simulated_world;

/// Open files and directories, pipes, and queues of changes. Descriptors lie apart from those of
/// sockets and of the real world, so that a mix-up fails. Numbers are results or a negated errno,
/// as system calls give them; flags are those of open(2).
class simulated_files final : public simulated_calls {
public:
    explicit simulated_files(simulated_world& in) : world_(in) {}

    int noted(char const* what, std::string_view on, int value) override;

    /// Puts a file there, or a directory where there is no `content`, and the folders above it.
    void add(std::string_view path, std::optional<std::string_view> content);

    // As file_calls. The first does not fail by chance: a root is opened as a program starts.
    [[nodiscard]] int open_directory(std::string_view path) override;
    [[nodiscard]] result<file_calls::status> status_of(int descriptor) const override;
    /// In the order of their names, from behind `after` on, at most `most`.
    [[nodiscard]] result<std::vector<file_calls::entry>> list(int directory, std::string_view after,
                                                              std::size_t most) override;
    void close(int descriptor) noexcept override;

    // As path_steps.
    [[nodiscard]] int open_at(int in, std::string_view path, int flags, std::uint32_t mode,
                              bool beneath) override;
    [[nodiscard]] int copy(int descriptor) override;
    [[nodiscard]] int write_on(int descriptor, std::string_view content) override;
    [[nodiscard]] int sync(int descriptor) override;
    [[nodiscard]] int truncate(int descriptor, std::uint64_t size) override;
    [[nodiscard]] int make_directory(int in, std::string_view name, std::uint32_t mode) override;
    [[nodiscard]] int remove(int in, std::string_view name, bool directory) override;
    [[nodiscard]] int rename(int from_in, std::string_view from, int to_in, std::string_view to,
                             bool replace) override;
    [[nodiscard]] int link(int file, int in, std::string_view name) override;

    // As pipe_calls.
    [[nodiscard]] result<pipe_calls::ends> open_pipe() override;
    [[nodiscard]] result<pipe_calls::nature> nature_of(int descriptor) const override;
    [[nodiscard]] int read_pipe(int descriptor, mutable_bytes into) override;
    [[nodiscard]] int write_pipe(int descriptor, bytes from) override;

    // As watch_calls.
    [[nodiscard]] int open_watches() override;
    [[nodiscard]] int watch(int queue, std::string_view path) override;
    bool unwatch(int queue, int watch) override;
    [[nodiscard]] std::vector<watch_calls::event> read_watches(int queue) override;
    [[nodiscard]] simulated_watches* watches_of(int descriptor) noexcept;

    [[nodiscard]] bool owns(int descriptor) const noexcept;
    /// Begins a request on files; its result comes after the time that a disk takes.
    void start(request& what, simulated_sink& by);
    /// Ends a wait for changes or at a pipe. A disk goes on.
    void cancel(request const& what);
    /// Bytes of an open file, as long as it does not change.
    [[nodiscard]] bytes view(int descriptor, std::uint64_t offset, std::uint64_t size) const;
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return count_; }

private:
    using node_ptr = simulated_tree::node_ptr;
    using place = simulated_tree::place;
    /// What open(2) makes; copies of a descriptor share it.
    struct description {
        // One of these.
        node_ptr node;
        std::shared_ptr<simulated_pipe> pipe;
        std::unique_ptr<simulated_watches> queue;
        bool reads = false;
        bool writes = false;
        bool appends = false;
        std::uint64_t position = 0;
        description() = default;
        description(description const&) = delete;
        description& operator=(description const&) = delete;
        ~description();
    };
    enum class access : std::uint8_t { look, change, fill };

    [[nodiscard]] description* find(int descriptor) const noexcept;
    [[nodiscard]] int place_of(int in, std::string_view path, bool beneath, place& out) const;
    [[nodiscard]] int enter(std::shared_ptr<description> what);
    [[nodiscard]] int failure_of_disk(access what);
    [[nodiscard]] int open(int in, std::string_view path, int flags, std::uint32_t mode,
                           bool beneath);
    [[nodiscard]] int node_to_open(place const& at, std::string_view path, int flags,
                                   std::uint32_t mode, node_ptr& out);
    [[nodiscard]] int answer(request const& what);
    [[nodiscard]] std::size_t part(std::size_t size);
    [[nodiscard]] int read(request const& what);
    [[nodiscard]] int write(request const& what);
    [[nodiscard]] int write_at(description& to, std::uint64_t offset, std::string_view content);

    simulated_world& world_;
    simulated_tree tree_;
    std::vector<std::shared_ptr<description>> open_;  // by descriptor, from first_descriptor
    std::size_t count_ = 0;
};

}  // namespace rill
