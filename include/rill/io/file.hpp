// Files below a root that nothing can leave: open, status, read, list. openat2(2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rill/base/bytes.hpp"
#include "rill/base/export.hpp"
#include "rill/base/result.hpp"
#include "rill/coro/operation.hpp"
#include "rill/coro/task.hpp"
#include "rill/rt/request.hpp"

namespace rill::file {

/// What a file is.
struct status {
    bool regular = false;       ///< An ordinary file.
    bool directory = false;     ///< A directory.
    std::uint64_t size = 0;     ///< Bytes.
    std::int64_t modified = 0;  ///< Seconds since 1970, UTC.
    std::uint64_t device = 0;   ///< With `inode`, the identity of the file.
    std::uint64_t inode = 0;    ///< See `device`.
};

/// An open file. Closes when it goes out of scope.
///
/// Core: the core that opened it.
class RILL_API handle {
public:
    handle() noexcept = default;
    /// Takes a descriptor over.
    explicit handle(int descriptor) noexcept : descriptor_(descriptor) {}
    handle(handle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    handle& operator=(handle&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~handle();

    /// True when a file is open.
    [[nodiscard]] explicit operator bool() const noexcept { return descriptor_ >= 0; }
    /// The descriptor, which stays this object's.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    /// Gives the descriptor away.
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }
    /// What it is. Answered from memory on local file systems.
    [[nodiscard]] result<file::status> status() const noexcept;

private:
    int descriptor_ = -1;
};

/// A directory below which files are opened. Shared by all cores.
class RILL_API root {
public:
    /// Opens the directory. Throws `error` with the path. May block: make it before serving.
    explicit root(std::string_view path);
    root(root&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    root& operator=(root&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~root();

    /// The descriptor, which stays this object's.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_ = -1;
};

/// The wait of `open_beneath`.
class [[nodiscard]] RILL_API open_operation final : public value_operation<handle>,
                                                    private request {
public:
    /// A wait for the file `path` below `directory`.
    open_operation(int directory, char const* path) noexcept : request(verb::open_beneath) {
        set_descriptor(directory);
        set_path(path);
    }
    [[nodiscard]] char const* name() const noexcept override { return "open"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void completed(int value, std::uint32_t buffer, bool more) noexcept override;
};

/// Opens the file `path` (relative, ends in NUL) below a directory, to read. No `..` and no link
/// leads out of it (RESOLVE_BENEATH).
///
/// Errors    EXDEV where the path would leave; ENOENT, EACCES and the others of openat2(2).
/// Lifetime  `path` must live until the await ends.
/// Cancel    a file that was opened after all is closed.
[[nodiscard]] inline open_operation open_beneath(root const& in, char const* path) noexcept {
    return {in.descriptor(), path};
}
/// The same below an open directory.
[[nodiscard]] inline open_operation open_beneath(handle const& in, char const* path) noexcept {
    return {in.descriptor(), path};
}

/// The wait of `read`.
class [[nodiscard]] RILL_API read_operation final : public value_operation<std::size_t>,
                                                    private request {
public:
    /// A wait for bytes of an open file.
    read_operation(int descriptor, mutable_bytes into, std::uint64_t offset) noexcept
        : request(verb::read_file) {
        set_descriptor(descriptor);
        set_into(into);
        set_offset(offset);
    }
    [[nodiscard]] char const* name() const noexcept override { return "read file"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void completed(int value, std::uint32_t buffer, bool more) noexcept override;
};

/// Reads from `offset` of an open file. Returns the bytes read, fewer only at the end of the file.
[[nodiscard]] inline read_operation read(int descriptor, mutable_bytes into,
                                         std::uint64_t offset) noexcept {
    return {descriptor, into, offset};
}

/// An entry of a directory.
struct entry {
    std::string name;     ///< Any bytes but '/' and NUL.
    file::status status;  ///< Of what it leads to, where it is a link.
};

/// The entries of an open directory, in no order, without `.` and `..`. Runs on the blocking pool.
[[nodiscard]] RILL_API task<result<std::vector<entry>>> list(handle const& directory);

}  // namespace rill::file
