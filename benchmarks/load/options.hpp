// The command line of the load generator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <sys/types.h>

namespace load {

enum class protocol { echo, http };

struct options {
    protocol kind = protocol::http;
    bool idle = false;  ///< opens connections, keeps them, and asks on command (idle.hpp)
    sockaddr_in server{};
    std::string host;  ///< the server as written, for the host header
    std::size_t connections = 64;
    std::size_t size = 1024;     ///< bytes of an echo message, or of a body made of `pattern`
    std::size_t depth = 1;       ///< HTTP requests in one batch
    double rate = 0;             ///< requests per second of the open loop; 0 is the closed loop
    bool busy = false;           ///< open loop: 503 is an answer, too, and counted apart
    bool poisson = false;        ///< open loop: exponential gaps in place of equal ones
    double warm = 0.3;           ///< seconds before measuring
    double time = 1.0;           ///< seconds of measuring
    std::uint64_t requests = 0;  ///< closed loop: this many, in place of `warm` and `time`
    std::uint64_t seed = 1;
    std::string path = "/";
    std::string expect = "Hello, World!";  ///< the body that every answer must have
    std::string pattern;                   ///< HTTP: in place of `expect`, what a body repeats
    std::vector<pid_t> watch;              ///< processes whose CPU time is read
};

/// Parses; throws `failure` with a message for people.
[[nodiscard]] options parse(int argc, char** argv);

extern char const* const usage;

}  // namespace load
