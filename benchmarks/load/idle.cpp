// Many kept connections that mostly rest; see idle.hpp.
#include "idle.hpp"

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "failure.hpp"
#include "workload.hpp"

namespace load {
namespace {

// Connections from one source address to one port: the range of local ports has 28,000 or so.
constexpr std::size_t connections_per_address = 8000;

class herd {
public:
    explicit herd(options const& chosen) : options_(chosen), work_(make_workload(chosen)) {}
    herd(herd const&) = delete;
    herd& operator=(herd const&) = delete;
    ~herd() {
        for (auto const fd : sockets_) close(fd);
    }

    // Opens until there are `wanted`. Returns how many of the new ones answered.
    std::size_t open(std::size_t wanted) {
        if (wanted > options_.connections)
            throw failure("more than --connections " + std::to_string(options_.connections));
        std::size_t answered = 0;
        while (sockets_.size() < wanted) {
            sockets_.push_back(connect_one(sockets_.size()));
            if (ask(sockets_.size() - 1)) ++answered;
        }
        return answered;
    }

    std::size_t ask_all() {
        std::size_t answered = 0;
        for (std::size_t i = 0; i < sockets_.size(); ++i)
            if (ask(i)) ++answered;
        return answered;
    }

    [[nodiscard]] std::size_t size() const { return sockets_.size(); }

private:
    [[nodiscard]] int connect_one(std::size_t index) const {
        int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) throw failure(std::string("socket: ") + std::strerror(errno));
        int const on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        timeval const limit{.tv_sec = 10, .tv_usec = 0};
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        sockaddr_in source{};
        source.sin_family = AF_INET;
        auto const last = static_cast<std::uint32_t>(2 + index / connections_per_address);
        source.sin_addr.s_addr = htonl((127U << 24) + last);
        if (bind(fd, reinterpret_cast<sockaddr const*>(&source), sizeof source) != 0 ||
            connect(fd, reinterpret_cast<sockaddr const*>(&options_.server),
                    sizeof options_.server) != 0) {
            auto const cause = errno;
            close(fd);
            throw failure("connection " + std::to_string(index) + ": " + std::strerror(cause));
        }
        return fd;
    }

    // One request on one connection. A wrong byte throws; a dead connection is counted as silent.
    [[nodiscard]] bool ask(std::size_t index) {
        auto const request = work_->next(index);
        if (send(sockets_[index], request.data(), request.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request.size()))
            return false;
        std::size_t missing = work_->batch();
        char buffer[16384];
        while (missing != 0) {
            auto const size = recv(sockets_[index], buffer, sizeof buffer, 0);
            if (size <= 0) return false;
            missing -= work_->received(index, {buffer, static_cast<std::size_t>(size)});
        }
        return true;
    }

    options const& options_;
    std::unique_ptr<workload> work_;
    std::vector<int> sockets_;
};

void answer(herd const& all, std::size_t asked, std::size_t answered) {
    std::cout << "{\"open\": " << all.size() << ", \"asked\": " << asked
              << ", \"answered\": " << answered << "}\n"
              << std::flush;
}

}  // namespace

int run_idle(options const& chosen) {
    herd all(chosen);
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command;
        std::size_t wanted = 0;
        words >> command;
        if (command == "open" && words >> wanted) {
            auto const before = all.size();
            auto const answered = all.open(wanted);
            answer(all, all.size() - before, answered);
        } else if (command == "ask") {
            auto const answered = all.ask_all();
            answer(all, all.size(), answered);
        } else if (command == "quit") {
            break;
        } else {
            throw failure("unknown command '" + line + "'");
        }
    }
    return 0;
}

}  // namespace load
