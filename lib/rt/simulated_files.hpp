// The files of a simulated world: a tree in memory, without links.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "file_calls.hpp"
#include "rill/base/bytes.hpp"
#include "rill/base/result.hpp"
#include "rill/rt/request.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;

/// Files by their absolute path, and what is open of them. Descriptors lie apart from those of
/// sockets and of the real world, so that a mix-up fails.
class simulated_files {
public:
    explicit simulated_files(simulated_world& in) : world_(in) { make("/", true); }
    simulated_files(simulated_files const&) = delete;
    simulated_files& operator=(simulated_files const&) = delete;

    /// The files of this thread's world; null where there is none.
    [[nodiscard]] static simulated_files* of_thread() noexcept;

    /// Puts a file there, and the folders above it.
    void add(std::string_view path, std::string_view content);

    // As file_calls.
    [[nodiscard]] result<int> open_directory(std::string_view path);
    [[nodiscard]] result<file_calls::status> status_of(int descriptor) const;
    [[nodiscard]] result<std::vector<file_calls::entry>> list(int directory) const;
    void close(int descriptor) noexcept;

    [[nodiscard]] bool owns(int descriptor) const noexcept;
    /// Begins a request on files; its result comes after the time that a disk takes.
    void start(request& what, simulated_sink& by);
    /// Bytes of an open file, as long as it does not change.
    [[nodiscard]] bytes view(int descriptor, std::uint64_t offset, std::uint64_t size) const;
    [[nodiscard]] std::size_t open_descriptors() const noexcept { return count_; }

private:
    struct node {
        bool directory = false;
        std::uint64_t inode = 0;
        std::int64_t modified = 0;
        std::string content;
    };
    struct open_file {
        std::string path;
        std::shared_ptr<node> of;
    };

    node& make(std::string path, bool directory);
    [[nodiscard]] open_file const* find(int descriptor) const noexcept;
    [[nodiscard]] result<int> open(std::string path, bool by_chance);
    [[nodiscard]] int answer(request const& what);
    [[nodiscard]] int open_beneath(int directory, std::string_view path);
    [[nodiscard]] int read(request const& what);
    [[nodiscard]] int write(request const& what);
    [[nodiscard]] std::size_t part(std::size_t size);
    [[nodiscard]] static file_calls::status status(node const& of) noexcept;

    simulated_world& world_;
    std::map<std::string, std::shared_ptr<node>, std::less<>> tree_;
    std::vector<open_file> open_;  // by descriptor, from first_descriptor
    std::size_t count_ = 0;
    std::uint64_t next_inode_ = 1;
};

}  // namespace rill
