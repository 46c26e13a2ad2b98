// A queue of changes of files in a simulated world, as inotify(7) has it.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "rill/rt/request.hpp"
#include "simulated_sink.hpp"
#include "watch_calls.hpp"

namespace rill {

struct simulated_node;

class simulated_watches {
public:
    simulated_watches() = default;
    simulated_watches(simulated_watches const&) = delete;
    simulated_watches& operator=(simulated_watches const&) = delete;
    ~simulated_watches();

    /// Watches `node` from now on; the number is that of an earlier watch of it, where there is
    /// one.
    [[nodiscard]] int add(std::shared_ptr<simulated_node> const& node);
    /// Ends one watch, which is told. False where there is none.
    bool remove(int number);
    /// What is there, at most as much as one read(2) of rill takes.
    [[nodiscard]] std::vector<watch_calls::event> read();
    /// Waits until there is something.
    void wait(simulated_wait const& by);
    void cancel(request const& what);

    // By what is watched.
    void tell(watch_calls::event what);
    /// It is no more.
    void end(int number);

private:
    void unwatch(simulated_node& node) const;

    std::map<int, std::weak_ptr<simulated_node>> watched_;
    int last_number_ = 0;
    std::deque<watch_calls::event> events_;
    simulated_wait waiting_;
};

}  // namespace rill
