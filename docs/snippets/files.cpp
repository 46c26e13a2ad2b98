// Files below a root: made, replaced as a whole, walked.
#include <rill/io/directory.hpp>
#include <rill/rt.hpp>

#include <cstdio>

namespace file = rill::file;

rill::task<> keep(file::root const& in) {
    co_await file::make_directory(in, "log/today", true);
    auto const log = co_await file::open(in, "log/today/events",
                                         {.access = file::access::write, .create = true});
    co_await file::write_all(log, "started\n");
    co_await file::sync(log);  // on disk from here on

    // Who opens it finds the old content or the new, whole, also after a power cut.
    co_await file::replace(in, "settings", "colour = blue\n");
}

rill::task<> list(file::root const& in) {
    file::walk tree(in);  // bit by bit, and never through a link
    while (auto entry = co_await tree.next())
        std::printf("%s%s\n", entry->path.c_str(), entry->status.directory ? "/" : "");
}

int main(int, char** argv) {
    file::root const root(argv[1]);  // nothing below it leads out of it
    rill::run(keep(root));
    rill::run(list(root));
}
