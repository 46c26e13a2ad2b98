// A pipe in a simulated world. pipe(7).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rill/base/bytes.hpp"
#include "rill/rt/request.hpp"
#include "simulated_sink.hpp"

namespace rill {

class simulated_world;

/// Bytes from those who have it open to write to those who have it open to read. Numbers are counts
/// or a negated errno.
class simulated_pipe {
public:
    explicit simulated_pipe(simulated_world& in) noexcept : world_(in) {}
    simulated_pipe(simulated_pipe const&) = delete;
    simulated_pipe& operator=(simulated_pipe const&) = delete;

    /// What is there, maybe not all of it; 0 at the end, -EAGAIN where there is nothing.
    [[nodiscard]] int read(mutable_bytes into);
    /// What there is room for; -EAGAIN where there is none, -EPIPE where nobody reads any more.
    [[nodiscard]] int write(bytes from);
    /// Waits at one of its ends for what `verb::readable`, `writable` and `hangup` wait for.
    void wait(simulated_wait const& by, bool to_read);
    void cancel(request const& what);
    /// Nobody has it open to read any more, or to write.
    void end_reading();
    void end_writing();

private:
    struct poll {
        simulated_wait by;
        bool to_read;
    };
    [[nodiscard]] int state(verb what, bool to_read) const noexcept;
    void progress();

    simulated_world& world_;
    std::string content_;  // at most `capacity`
    bool read_by_somebody_ = true;
    bool written_by_somebody_ = true;
    std::vector<poll> polls_;
};

}  // namespace rill
