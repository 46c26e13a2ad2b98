"""What lint enforces, as data: layers, third-party homes, banned names. Change rules here first."""

# Folder = layer = namespace. A layer may include itself and what its row names, nothing else.
LAYERS = {
    "base": [],
    "coro": ["base"],
    "rt": ["base", "coro"],
    "codec": ["base"],
    "io": ["base", "coro", "rt", "codec"],
    "tls": ["base", "coro", "rt", "io"],
    "http": ["base", "coro", "rt", "io", "codec", "tls"],
    "ws": ["base", "coro", "rt", "io", "codec", "tls", "http"],
    "mqtt": ["base", "coro", "rt", "io", "codec", "tls", "http"],
    "proxy": ["base", "coro", "rt", "io", "codec", "tls", "http"],
    "kcp": ["base", "coro", "rt", "io", "codec", "tls"],
    "web": ["base", "coro", "rt", "io", "codec", "tls", "http", "ws", "mqtt", "proxy", "kcp"],
    "json": ["base", "coro", "rt", "io", "codec", "tls", "http", "ws"],
    "test": ["base", "coro", "rt"],
}

# Third-party headers (prefix of the included name) and the only files that may include them.
THIRD_PARTY = {
    "liburing": ["lib/rt/"],
    "openssl/": ["lib/tls/", "lib/codec/digest.", "tests/tls/"],
    "llhttp.h": ["lib/codec/"],
    "nghttp2/": ["lib/http/", "tests/http/"],
    "nlohmann/": ["include/rill/json.hpp", "lib/json/", "examples/", "tests/json/"],
    "zlib.h": ["lib/codec/", "tests/support/inflate.cpp"],
    "brotli/": ["lib/codec/", "tests/support/inflate.cpp"],
    "zstd.h": ["lib/codec/", "tests/support/inflate.cpp"],
    "fmt/": ["lib/", "include/rill/fmt.hpp", "examples/", "tests/", "benchmarks/"],
    "doctest/": ["tests/"],
    "libpq-fe.h": ["examples/"],
    "ares.h": ["examples/"],
}
# Servers that rill is measured against include what they like.
THIRD_PARTY_FREE = ["benchmarks/", "tests/consume/", "tests/codec/", "tests/rt/"]

# The kernel's and libc's interfaces belong to the driver. These folders alone may use them.
SYSTEM_HOMES = ["lib/rt/", "include/rill/rt/"]
SYSTEM_SCOPE = ["lib/", "include/"]
SYSTEM_HEADERS = [
    "arpa/inet.h", "csignal", "dirent.h", "fcntl.h", "ifaddrs.h", "net/if.h", "netdb.h",
    "netinet/in.h", "netinet/tcp.h", "netinet/udp.h", "poll.h", "pthread.h", "sched.h", "signal.h",
    "spawn.h", "sys/epoll.h", "sys/eventfd.h", "sys/file.h", "sys/ioctl.h", "sys/mman.h",
    "sys/prctl.h", "sys/resource.h", "sys/select.h", "sys/sendfile.h", "sys/signalfd.h",
    "sys/socket.h", "sys/stat.h", "sys/syscall.h", "sys/time.h", "sys/timerfd.h", "sys/types.h",
    "sys/uio.h", "sys/un.h", "sys/wait.h", "syslog.h", "termios.h", "thread", "unistd.h", "fstream",
]
SYSTEM_CALLS = [
    "accept", "accept4", "bind", "close", "connect", "dup", "dup2", "epoll_create1", "epoll_ctl",
    "epoll_wait", "eventfd", "fcntl", "fork", "fstat", "fsync", "ftruncate", "getaddrinfo",
    "getpeername", "getsockname", "getsockopt", "ioctl", "kill", "listen", "lseek", "mmap",
    "munmap", "open", "openat", "pipe", "pipe2", "poll", "pread", "pwrite", "read", "readv", "recv",
    "recvfrom", "recvmsg", "sched_yield", "select", "send", "sendfile", "sendmsg", "sendto",
    "setsockopt", "shutdown", "sigaction", "socket", "socketpair", "splice", "stat", "syscall",
    "unlink", "write", "writev",
]

# (pattern, what to use instead, the folders where it is banned, the paths where it is not)
_ALL = ["include/", "lib/", "examples/", "tests/", "benchmarks/"]
_LIBRARY = ["include/", "lib/"]
BANNED = [
    (r"\bv?sprintf\s*\(", "fmt::format_to_n", _ALL, []),
    (r"\b(strcpy|strcat|strncpy|strncat|gets)\s*\(", "std::string, or copy_bytes", _ALL, []),
    (r"\bstrtok\s*\(", "std::string_view::find", _ALL, []),
    (r"\b(gmtime|localtime|asctime|ctime)\s*\(", "gmtime_r, localtime_r, strftime", _ALL, []),
    (r"\b(atoi|atol|atoll|atof|strtol|strtoul|strtoll|strtoull)\s*\(", "std::from_chars", _LIBRARY, []),
    (r"\bstd::sto(i|l|ul|ll|ull|f|d)\s*\(", "std::from_chars", _LIBRARY, []),
    (r"(?<![\w.>:])(::)?(std::)?signal\s*\(\s*SIG", "sigaction inside lib/rt; a signal awaitable outside", _ALL, []),
    (r"\bstd::this_thread::sleep_(for|until)\b|(?<![\w:.>])(::)?(usleep|nanosleep|sleep)\s*\(\s*[\d&][^;]*?\)\s*;",
     "a condition that is awaited, or the manual clock", ["tests/", "lib/", "include/"], ["lib/rt/"]),
    (r"\bstd::(cout|cerr|clog)\b|(?<!\w)(std::)?(printf|puts|putchar|perror)\s*\(", "rill's log", _LIBRARY, []),
    (r"\b(std::)?(fprintf|fputs)\s*\(|\bfmt::print\s*\(", "rill's log", _LIBRARY, ["lib/base/", "lib/rt/"]),
    (r"(?<!\w)s?rand\s*\(|\bstd::(rand|random_device)\b", "the driver's random()", _LIBRARY, ["lib/rt/"]),
    (r"\b(steady|system|high_resolution)_clock::now\b", "the driver's now()", _LIBRARY,
     # The log lies below the driver and lets it replace the clocks (log::set_clocks).
     ["lib/rt/", "include/rill/rt/", "lib/base/log.cpp"]),
    (r"(?<!\w)assert\s*\(", "RILL_ASSERT with advice", _LIBRARY + ["benchmarks/"], []),
    (r"\bstd::(regex|async)\b", "a hand-written match; blocking()", _LIBRARY, []),
    (r"\bstd::endl\b", "'\\n'", _ALL, []),
    (r"\bthread\w*(\([^()]*\)|\{[^{}]*\})?\s*\.\s*detach\s*\(\s*\)", "a group or a thread that is joined", _ALL, []),
    (r"\busing\s+namespace\s+std\s*;", "names written out", _ALL, []),
    (r"(?<!\w)(__builtin_)?alloca\s*\(", "a buffer with a stated bound", _ALL, []),
    (r"\b(dynamic_cast|typeid)\b", "a virtual call; users compile with -fno-rtti", _LIBRARY, []),
]

# Files that hold a forbidden form on purpose: (rule, path pattern, why).
EXEMPT = [
    ("coroutine", "tests/coro/compiler_*_test.cpp", "the canaries prove what each form does"),
    ("coroutine", "tests/coro/compiles/*.cpp", "the canaries prove what each form does"),
]

FILE_LINES = 500
FUNCTION_LINES = 60
