// Files: open, status, read, write, sync, truncate, and the root that nothing can leave.
// openat2(2).
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
    bool regular = false;           ///< An ordinary file.
    bool directory = false;         ///< A directory.
    bool link = false;              ///< A symbolic link, where it was not followed.
    std::uint64_t size = 0;         ///< Bytes.
    std::int64_t modified = 0;      ///< Seconds since 1970, UTC.
    std::uint32_t modified_ns = 0;  ///< Nanoseconds after `modified`; 0 where they are unknown.
    std::uint64_t device = 0;       ///< With `inode`, the identity of the file.
    std::uint64_t inode = 0;        ///< See `device`.
    std::uint32_t permissions = 0;  ///< The lower twelve bits of the mode: 0644.
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

/// A directory as the functions of this name space take it: a root, or an open one.
class directory_ref {
public:
    /// A root, which outlives this.
    directory_ref(root const& of) noexcept : descriptor_(of.descriptor()) {}
    /// An open directory, which outlives this.
    directory_ref(handle const& of) noexcept : descriptor_(of.descriptor()) {}
    /// The descriptor, which stays that of the root or handle.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

/// What is done with a file that is opened.
enum class access : std::uint8_t { read, write, read_write };

/// How a file is opened.
struct open_options {
    /// To read, to write, or both.
    file::access access = access::read;
    /// It is made where there is none.
    bool create = false;
    /// With `create`: that there is one is the error EEXIST.
    bool exclusive = false;
    /// It is emptied.
    bool truncate = false;
    /// Every write goes to its end, whatever the offset (O_APPEND).
    bool append = false;
    /// The permissions of one that is made; the umask of the process is taken off.
    std::uint32_t mode = 0666;
};
static_assert(std::is_trivially_destructible_v<open_options>);

/// Opens `path`, any path of the system; with the root `in` one below it, which no `..` and no link
/// leaves. Runs on the blocking pool. `open_beneath` below does less, and needs no pool.
///
/// Errors  thrown as `error` with the path: ENOENT, EACCES, EEXIST and the others of open(2); EXDEV
///         where the path would leave the root.
/// Cancel  ends at once; a file that is opened after all is closed.
[[nodiscard]] RILL_API task<handle> open(std::string path, open_options with = {});
/// The same below a directory.
[[nodiscard]] RILL_API task<handle> open(directory_ref in, std::string path,
                                         open_options with = {});

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

/// The wait of `write`.
class [[nodiscard]] RILL_API write_operation final : public value_operation<std::size_t>,
                                                     private request {
public:
    /// A wait for bytes to be written to an open file.
    write_operation(int descriptor, bytes from, std::uint64_t offset) noexcept
        : request(verb::write_file), from_(from) {
        set_descriptor(descriptor);
        set_pieces(&from_, 1);
        set_offset(offset);
    }
    [[nodiscard]] char const* name() const noexcept override { return "write file"; }

private:
    bool start() noexcept override;
    void cancel(cancel_reason reason) noexcept override;
    void completed(int value, std::uint32_t buffer, bool more) noexcept override;

    bytes from_;
};

/// Writes at `offset` of an open file. Returns the bytes written, which may be fewer: see
/// `write_all`. The bytes live until the await ends, also when cancelled.
[[nodiscard]] inline write_operation write(handle const& to, bytes from,
                                           std::uint64_t offset) noexcept {
    return {to.descriptor(), from, offset};
}
/// Reads from `offset` of an open file; see the other `read`.
[[nodiscard]] inline read_operation read(handle const& from, mutable_bytes into,
                                         std::uint64_t offset) noexcept {
    return {from.descriptor(), into, offset};
}

/// Writes all of `from` at `offset`, or at the end of a file that was opened to append. `to` and
/// the bytes live until the await ends. Errors: `error`. Cancel: a part may have been written.
[[nodiscard]] RILL_API task<> write_all(handle const& to, bytes from, std::uint64_t offset = 0);
/// Reads a whole file, at most `most` bytes. Errors: `limit_exceeded` beyond, and `error`.
[[nodiscard]] RILL_API task<std::string> read_all(handle const& from,
                                                  std::size_t most = 16 * 1024 * 1024);

/// What `sync` waits for.
enum class sync_kind : std::uint8_t {
    all,   ///< Content and status (fsync).
    data,  ///< The content, and of the status what is needed to read it (fdatasync).
};
/// Waits until what was written is on disk. Runs on the blocking pool. Errors: `error`; after one
/// nothing is known of what was written before.
[[nodiscard]] RILL_API task<> sync(handle const& what, sync_kind kind = sync_kind::all);
/// Makes a file `size` bytes long: cuts it, or fills it up with zeros. Runs on the blocking pool.
[[nodiscard]] RILL_API task<> truncate(handle const& what, std::uint64_t size);

/// An entry of a directory.
struct entry {
    std::string name;     ///< Any bytes but '/' and NUL.
    file::status status;  ///< Of what it leads to, where it is a link.
};

/// The entries of an open directory, in no order, without `.` and `..`. Runs on the blocking pool.
[[nodiscard]] RILL_API task<result<std::vector<entry>>> list(handle const& directory);

}  // namespace rill::file
