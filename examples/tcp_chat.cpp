// A chat on all cores: to all, to a room, to one, or to all but the sender.
// Run: ./tcp_chat 127.0.0.1:7100   then, in several terminals: nc 127.0.0.1 7100
// Lines: "=ann" and "+tea" set name and room; "*hi" to all, "#hi" to the room, "@bob hi" to one.
#include <rill/coro.hpp>
#include <rill/io/tcp.hpp>
#include <rill/rt.hpp>

#include <csignal>
#include <memory>
#include <mutex>
#include <vector>

struct member {
    rill::tcp::remote to;  // sends from any core
    std::string name = "somebody", room = "hall";
};
std::mutex mutex;  // guards all members; held for moments, never across a co_await
std::vector<std::shared_ptr<member>> members;

void obey(member& from, std::string_view line) {
    char const kind = line.empty() ? ' ' : line.front();
    std::string_view const rest = line.substr(!line.empty());
    std::lock_guard const lock(mutex);
    if (kind == '=') return void(from.name = rest);
    if (kind == '+') return void(from.room = rest);
    std::string const message = from.name + ": " + std::string(line) + "\n";
    for (auto const& each : members) {
        if (kind == '#' && each->room != from.room) continue;
        if (kind == '@' && each->name != rest.substr(0, rest.find(' '))) continue;
        if (kind != '*' && kind != '#' && kind != '@' && each.get() == &from) continue;
        if (!each->to.send(message)) each->to.close();  // gone, or too slow to keep up
    }
}

std::shared_ptr<member> join(rill::tcp::remote to) {
    std::lock_guard const lock(mutex);
    std::erase_if(members, [](auto const& each) { return each->to.closed(); });  // who has left
    return members.emplace_back(std::make_shared<member>(std::move(to)));
}

rill::task<> talk(rill::tcp::stream peer) {
    auto const me = join(peer.remote());
    std::string unread;
    while (auto received = co_await peer.receive()) {
        unread += received.view().text();
        for (auto end = unread.find('\n'); end != unread.npos; end = unread.find('\n')) {
            obey(*me, std::string_view(unread).substr(0, end));
            unread.erase(0, end + 1);
        }
        if (unread.size() > 1000) break;  // nobody types such lines
    }
}

int main(int argc, char** argv) {
    return rill::run_per_core([&]() -> rill::task<> {
        rill::tcp::listener listener(argc > 1 ? argv[1] : "127.0.0.1:7100");
        co_await rill::when_any(listener.serve(talk), rill::wait_signal(SIGINT, SIGTERM));
    });
}
