// Whether the kernel has openat2 (Linux 5.6). Valgrind 3.19 does not let it through.
#pragma once

#include <linux/openat2.h>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rill::test {

// Without it no link below a root is followed, also none that stays inside.
[[nodiscard]] inline bool has_openat2() noexcept {
    open_how what{};
    what.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    long const opened = ::syscall(SYS_openat2, AT_FDCWD, "/", &what, sizeof what);
    if (opened < 0) return false;
    ::close(static_cast<int>(opened));
    return true;
}

}  // namespace rill::test
