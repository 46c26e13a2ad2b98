// Promises of files: open, read, write, names, whole replacement, walks and watches.
#include "rill/io/file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/coro/when_all.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/directory.hpp"
#include "rill/io/file_watch.hpp"
#include "rill/rt/blocking.hpp"
#include "rt/simulated_world.hpp"
#include "support/openat2.hpp"
#include "support/sim.hpp"

namespace rill {

namespace {

/// A folder that goes away with what is in it; in a simulation one of its world.
class folder {
public:
    folder() {
        if (test::simulated()) {
            simulated_world::of_thread()->files().add(path_ = "/tmp/" + std::to_string(++count_),
                                                      {});
            return;
        }
        std::string name = (std::filesystem::temp_directory_path() / "rill_XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        if (!test::simulated()) std::filesystem::remove_all(path_);
    }
    [[nodiscard]] std::string const& path() const { return path_; }
    [[nodiscard]] std::string operator/(std::string_view name) const {
        return path_ + "/" + std::string(name);
    }

private:
    std::string path_;
    static inline int count_ = 0;
};

task<std::string> content_of(file::root const& in, std::string path) {
    auto const from = co_await file::open(in, std::move(path));
    auto const all = co_await file::read_all(from);
    co_return all;
}

/// Entries of a folder, temporary ones included.
task<std::set<std::string>> names_in(folder const& of) {
    auto const open = co_await file::open(of.path());
    auto const found = co_await file::list(open);
    std::set<std::string> names;
    for (auto const& each : *found) names.insert(each.name);
    co_return names;
}

std::uint32_t umask_here() {
    if (test::simulated()) return 022;
    ::mode_t const mask = ::umask(0);
    ::umask(mask);
    return mask;
}

task<> until_quiet() {
    while (blocking_now().idle != blocking_now().threads || blocking_now().waiting != 0) {
        co_await rill::sleep(100us);
    }
    if (test::simulated()) co_await rill::sleep(1s);  // its pool is not that one
}

}  // namespace

RILL_IO_TEST("a file is made, written, read, cut and appended to") {
    folder const here;
    file::root const root(here.path());
    {
        auto const made = co_await file::open(
            root, "a.txt", {.access = file::access::read_write, .create = true, .exclusive = true});
        co_await file::write_all(made, "0123456789");
        co_await file::write_all(made, "AB", 4);
        auto const whole = co_await file::read_all(made);
        CHECK(whole == "0123AB6789");
        co_await file::truncate(made, 5);
        co_await file::sync(made);
        co_await file::sync(made, file::sync_kind::data);
        CHECK(made.status()->size == 5);
    }
    {
        auto const more =
            co_await file::open(root, "a.txt", {.access = file::access::write, .append = true});
        co_await file::write_all(more, "xyz");
        co_await file::write_all(more, "!");
    }
    auto const all = co_await content_of(root, "a.txt");
    CHECK(all == "0123Axyz!");
    auto const emptied =
        co_await file::open(root, "a.txt", {.access = file::access::write, .truncate = true});
    CHECK(emptied.status()->size == 0);
    auto const anywhere = co_await file::open(here / "a.txt");
    CHECK(anywhere.status()->regular);
}

RILL_IO_TEST("open says what is wrong, with the path") {
    folder const here;
    file::root const root(here.path());
    auto const none = co_await as_result(file::open(root, "missing"));
    CHECK(none.error() == std::errc::no_such_file_or_directory);
    file::open_options make{.access = file::access::write, .create = true, .exclusive = true};
    make.mode = 0640;
    {
        auto const first = co_await file::open(root, "a", make);
        CHECK((first.status()->permissions & 0077) == (0040 & ~umask_here()));
    }
    auto const twice = co_await as_result(file::open(root, "a", make));
    CHECK(twice.error() == std::errc::file_exists);
    std::string text;
    try {
        auto const failed = co_await file::open(here / "b");
    } catch (error const& failure) {
        text = failure.what();
    }
    CHECK(text == "open " + (here / "b") + ": No such file or directory");
}

RILL_KERNEL_TEST("nothing below a root leads out of it") {
    folder const outside;
    folder const here;
    ::symlink(outside.path().c_str(), (here / "link").c_str());
    ::symlink("/etc/passwd", (here / "passwd").c_str());
    ::symlink("inside", (here / "fine").c_str());
    file::root const root(here.path());
    // Without openat2 no link is followed, and that is what is said of one on the way.
    auto const leads_out = [](std::error_code why) {
        if (why == std::errc::cross_device_link) return true;
        bool const is_link =
            why == std::errc::not_a_directory || why == std::errc::too_many_symbolic_link_levels;
        return is_link && !test::has_openat2();
    };
    co_await file::make_directory(root, "inside");
    file::open_options const make{.access = file::access::write, .create = true};
    for (char const* const path : {"../x", "link/x", "passwd", "/etc/passwd", "inside/../../x"}) {
        CAPTURE(path);
        auto const opened = co_await as_result(file::open(root, path, make));
        CHECK(leads_out(opened.error()));
        auto const looked = co_await as_result(file::status_of(root, path));
        CHECK(leads_out(looked.error()));
    }
    for (char const* const path : {"../x", "link/x", "/x", "inside/../../x"}) {
        CAPTURE(path);
        auto const made = co_await as_result(file::make_directory(root, path));
        CHECK(leads_out(made.error()));
        auto const removed = co_await as_result(file::remove(root, path));
        CHECK(leads_out(removed.error()));
        auto const replaced = co_await as_result(file::replace(root, path, "content"));
        CHECK(leads_out(replaced.error()));
        auto const away = co_await as_result(file::rename(root, "inside", path));
        CHECK(leads_out(away.error()));
    }
    auto const fine = co_await as_result(file::status_of(root, "fine"));
    CHECK((fine && fine->directory) == test::has_openat2());
    auto const link = co_await file::status_of(root, "fine", false);
    CHECK(link.link);
    auto const names = co_await names_in(outside);
    CHECK(names.empty());
}

RILL_IO_TEST("directories are made with their parents, and names are changed and removed") {
    folder const here;
    file::root const root(here.path());
    co_await file::make_directory(root, "a/b//c/", true);
    co_await file::make_directory(root, "./a/b/d", true);
    auto const twice = co_await as_result(file::make_directory(root, "a/b"));
    CHECK(twice.error() == std::errc::file_exists);
    co_await file::replace(root, "a/one", "1");
    co_await file::replace(root, "a/two", "2");
    auto const kept = co_await as_result(file::rename(root, "a/one", "a/two", false));
    CHECK(kept.error() == std::errc::file_exists);
    co_await file::rename(root, "a/one", "a/two");
    auto const two = co_await content_of(root, "a/two");
    CHECK(two == "1");
    auto const full = co_await as_result(file::remove(root, "a"));
    CHECK(full.error() == std::errc::directory_not_empty);
    for (char const* const path : {"a/two", "a/b/c", "a/b/d", "a/b/", "a"}) {
        co_await file::remove(root, path);
    }
    auto const gone = co_await as_result(file::remove(root, "a"));
    CHECK(gone.error() == std::errc::no_such_file_or_directory);
    for (char const* const path : {"", ".", "..", "a/.."}) {
        CAPTURE(path);
        auto const nonsense = co_await as_result(file::remove(root, path));
        CHECK(nonsense.error());
    }
    auto const names = co_await names_in(here);
    CHECK(names.empty());
}

RILL_IO_TEST("a file is replaced as a whole, and nothing is left beside it") {
    folder const here;
    file::root const root(here.path());
    std::string const large(1 << 20, 'L');
    co_await file::replace(root, "config", large);
    auto const old = co_await file::open(root, "config");
    co_await file::replace(root, "config", "short");
    auto const before = co_await file::read_all(old);
    CHECK(before == large);
    auto const after = co_await content_of(root, "config");
    CHECK(after == "short");
    // Where it cannot be done, the old content stays.
    co_await file::make_directory(root, "folder");
    auto const refused = co_await as_result(file::replace(root, "folder", "x"));
    CHECK(refused.error());
    auto const names = co_await names_in(here);
    CHECK(names == std::set<std::string>{"config", "folder"});
    std::string const long_name(255, 'n');
    co_await file::replace(root, long_name, "fits");
    auto const long_one = co_await names_in(here);
    CHECK(long_one.count(long_name) == 1);
}

RILL_IO_TEST("a temporary file has no name until it is published") {
    folder const here;
    file::root const root(here.path());
    {
        auto const made = co_await as_result(file::temporary(root));
        if (!made && !test::simulated()) {
            MESSAGE("no unnamed files on this file system: ", made.error().message());
            co_return;
        }
        co_await file::write_all(*made, "draft");
        auto const names = co_await names_in(here);
        CHECK(names.empty());
        co_await file::replace(root, "final", "old");
        co_await file::publish(*made, root, "final");
    }
    auto const all = co_await content_of(root, "final");
    CHECK(all == "draft");
    auto const names = co_await names_in(here);
    CHECK(names == std::set<std::string>{"final"});
}

RILL_KERNEL_TEST("a walk gives every entry once, directories first, and follows no link") {
    folder const here;
    file::root const root(here.path());
    std::set<std::string> wanted{"link"};
    for (int i = 0; i < 300; ++i) {
        std::string const name = "f" + std::to_string(i);
        co_await file::make_directory(root, name);
        wanted.insert(name);
        if (i % 10 == 0) {
            co_await file::make_directory(root, name + "/below/deep", true);
            wanted.insert({name + "/below", name + "/below/deep"});
        }
    }
    ::symlink(".", (here / "link").c_str());
    std::set<std::string> got;
    file::walk tree(root);
    while (auto entry = co_await tree.next()) {
        CHECK(got.insert(entry->path).second);
        std::size_t const slash = entry->path.rfind('/');
        if (slash != std::string::npos) CHECK(got.count(entry->path.substr(0, slash)) == 1);
        CHECK(entry->status.link == (entry->path == "link"));
        CHECK(entry->depth ==
              static_cast<std::size_t>(std::count(entry->path.begin(), entry->path.end(), '/')));
    }
    CHECK(got == wanted);
    auto const end = co_await tree.next();
    CHECK_FALSE(end);
    CHECK(tree.unreadable() == 0);
}

RILL_IO_TEST("a walk stops at its depth, and skips what it is told to") {
    folder const here;
    file::root const root(here.path());
    co_await file::make_directory(root, "a/b/c/d", true);
    co_await file::make_directory(root, "s/t", true);
    std::set<std::string> got;
    file::walk tree(root, ".", {.most_depth = 2});
    while (auto entry = co_await tree.next()) {
        got.insert(entry->path);
        CHECK(entry->entered == (entry->depth < 2));
        if (entry->path == "s") tree.skip();
    }
    CHECK(got == std::set<std::string>{"a", "a/b", "a/b/c", "s"});
    std::set<std::string> below;
    file::walk part(root, "a/b");
    while (auto entry = co_await part.next()) below.insert(entry->path);
    CHECK(below == std::set<std::string>{"c", "c/d"});
    file::walk none(root, "missing");
    auto const missing = co_await as_result(none.next());
    CHECK(missing.error() == std::errc::no_such_file_or_directory);
    file::walk outside(root, "..");
    auto const refused = co_await as_result(outside.next());
    CHECK(refused.error() == std::errc::cross_device_link);
}

RILL_IO_TEST("a directory that vanishes under a walk is counted, not an error") {
    folder const here;
    file::root const root(here.path());
    co_await file::make_directory(root, "a/b", true);
    file::walk tree(root);
    auto const first = co_await tree.next();
    REQUIRE(first);
    co_await file::remove(root, "a/b");
    co_await file::remove(root, "a");
    auto const end = co_await tree.next();
    CHECK_FALSE(end);
    CHECK(tree.unreadable() == 1);
}

RILL_IO_TEST("a watch tells what is made, written, renamed and removed") {
    folder const here;
    file::root const root(here.path());
    file::watch changes;
    int const number = co_await changes.add(here.path());
    co_await file::make_directory(root, "d");
    auto const made = co_await changes.next();
    CHECK(made.change == file::change::created);
    CHECK(made.name == "d");
    CHECK(made.directory);
    CHECK(made.watch == number);
    {
        file::open_options const create{.access = file::access::write, .create = true};
        auto const written = co_await file::open(root, "f", create);
        co_await file::write_all(written, "x");
    }
    std::vector<file::change> of_f;
    while (of_f.empty() || of_f.back() != file::change::written) {
        auto const next = co_await changes.next();
        CHECK(next.name == "f");
        of_f.push_back(next.change);
    }
    CHECK(of_f ==
          std::vector{file::change::created, file::change::modified, file::change::written});
    co_await file::rename(root, "f", "g");
    auto const away = co_await changes.next();
    CHECK(away.change == file::change::removed);
    auto const there = co_await changes.next();
    CHECK(there.change == file::change::created);
    CHECK(there.name == "g");
    CHECK(changes.remove(number));
    auto const gone = co_await changes.next();
    CHECK(gone.change == file::change::gone);
    CHECK_FALSE(changes.remove(number));
    auto const missing = co_await as_result(changes.add(here / "missing"));
    CHECK(missing.error() == std::errc::no_such_file_or_directory);
}

RILL_IO_TEST("a wait for a change that is given up loses none") {
    folder const here;
    file::root const root(here.path());
    file::watch changes;
    co_await changes.add(here.path());
    auto const none = co_await as_result(timeout(1ms, changes.next()));
    CHECK(none.error() == errc::timed_out);
    auto const making = [&]() -> task<> { co_await file::make_directory(root, "d"); };
    auto const both = co_await when_all(changes.next(), making());
    CHECK(std::get<0>(both).name == "d");
}

RILL_KERNEL_TEST("more changes than the kernel keeps are told as overflow") {
    folder const here;
    file::watch changes;
    co_await changes.add(here.path());
    // Files that take turns: the kernel joins equal changes that follow each other. A file that was
    // open for writing is told as written, and no disk has anything to do with it.
    std::string const names[2] = {here / "a", here / "b"};
    std::size_t most = 16384;
    if (FILE* const limit = std::fopen("/proc/sys/fs/inotify/max_queued_events", "r")) {
        CHECK(std::fscanf(limit, "%zu", &most) == 1);
        std::fclose(limit);
    }
    if (most > 100'000) {
        MESSAGE("the queue of this kernel is too long to fill: ", most);
        co_return;
    }
    for (std::size_t i = 0; i <= most; ++i) {
        int const opened = ::open(names[i % 2].c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        REQUIRE(opened >= 0);
        ::close(opened);
    }
    std::size_t count = 0;
    for (;;) {
        auto const next = co_await changes.next();
        if (next.change == file::change::overflow) break;
        ++count;
    }
    CHECK(count <= most);
}

RILL_IO_TEST("cancelling file work at any moment leaves no descriptor and no stray name") {
    for (int turn = 0; turn < 20; ++turn) {
        CAPTURE(turn);
        folder const here;
        file::root const root(here.path());
        auto const work = [&]() -> task<> {
            co_await file::make_directory(root, "a/b", true);
            co_await file::replace(root, "a/f", "content");
            auto const opened = co_await file::open(root, "a/f");
            co_await file::sync(opened);
            file::walk tree(root);
            while (auto entry = co_await tree.next()) CHECK(!entry->path.empty());
        };
        co_await when_any(work(), rill::sleep(turn * 30us));
        co_await until_quiet();
        file::walk left(root);
        while (auto entry = co_await left.next()) {
            CHECK(entry->path.find("/.") == std::string::npos);
        }
    }
}

}  // namespace rill
