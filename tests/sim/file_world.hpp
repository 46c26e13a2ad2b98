// Programs on the files of a simulated world: what the seeds are let loose on.
#pragma once

#include <set>
#include <string>

#include "http_world.hpp"
#include "rill/coro/when_any.hpp"
#include "rill/io/directory.hpp"
#include "rill/io/file_watch.hpp"
#include "rill/web/files.hpp"

namespace rill::sim {

/// A text that says which version it is and that it is whole.
inline std::string version(std::uint64_t number) {
    std::string const name = std::to_string(number) + "\n";
    return name + std::string(number % 7 == 0 ? 70'000 : number * 37 % 5'000, '.') + name;
}

inline bool is_version(std::string_view text) {
    return text == version(std::strtoull(std::string(text).c_str(), nullptr, 10));
}

inline task<> some_time() {
    co_await rill::sleep(std::chrono::milliseconds(test::choose(50)));
}

/// Gives `/www/page` new contents, by one way or the other. Some of it fails on a bad disk.
inline task<> write_versions(file::root const& top, std::uint64_t first, bool calm) {
    for (std::uint64_t number = first; number < first + 6; ++number) {
        std::string text = version(number);
        if (test::choose(2) == 0) {
            auto const done = co_await as_result(file::replace(top, "page", std::move(text)));
            test::expect(done || !calm, "replaced");
        } else {
            auto const draft = co_await as_result(file::temporary(top));
            test::expect(draft || !calm, "a temporary file");
            if (!draft) continue;
            auto const wrote = co_await as_result(file::write_all(*draft, text));
            test::expect(wrote || !calm, "written");
            if (!wrote) continue;
            auto const done = co_await as_result(file::publish(*draft, top, "page"));
            test::expect(done || !calm, "published");
        }
        co_await some_time();
    }
}

inline task<> read_versions(file::root const& top, bool calm) {
    for (int i = 0; i < 10; ++i) {
        auto const opened = co_await as_result(file::open(top, "page"));
        test::expect(opened || !calm, "there all the time");
        if (!opened) continue;
        auto const text = co_await as_result(file::read_all(*opened));
        test::expect(text || !calm, "read");
        if (text) test::expect(is_version(*text), "one version, whole");
        co_await some_time();
    }
}

/// Asks a server for the file all the time.
inline task<> fetch_versions(web::server& server, bool calm) {
    auto connected = co_await as_result(tcp::connect(sim::server_address));
    if (connected) {
        http_client client(*std::move(connected));
        for (int i = 0; i < 8; ++i) {
            bool const sent = co_await client.send("GET /page HTTP/1.1\r\nhost: a\r\n\r\n");
            if (!sent) break;
            auto const got = co_await client.next();
            test::expect(got.has_value() || !calm, "answered");
            if (!got) break;
            test::expect(got->status == 200 || !calm, "found");
            if (got->status == 200) test::expect(is_version(got->body), "one version, whole");
            co_await some_time();
        }
    } else {
        test::expect(!calm, "connected");
    }
    server.shutdown();
}

inline void replace_while_served(bool calm) {
    test::add_file("/www/page", version(0));
    file::root const top("/www");
    web::router routes;
    routes.get("/{path...}", web::files("/www"));
    web::server server(routes, sim::server_address);
    auto const body = [&]() -> task<> {
        co_await when_all(server.run_on_this_core(), fetch_versions(server, calm),
                          write_versions(top, 1, calm), write_versions(top, 100, calm),
                          read_versions(top, calm));
        if (!calm) co_return;
        auto const here = co_await file::open(top, ".");
        auto const left = co_await file::list(here);
        test::expect(left->size() == 1, "nothing is left beside it");
    };
    run_per_core(body, {.cores = 1});
}

/// Makes, renames and removes entries of a directory as the seed likes.
inline task<> change_names(file::root const& top) {
    for (std::uint64_t i = 5 + test::choose(20); i > 0; --i) {
        std::string const one = std::to_string(test::choose(5));
        std::string const other = std::to_string(test::choose(5));
        switch (test::choose(4)) {
            case 0:
                static_cast<void>(co_await as_result(file::make_directory(top, one)));
                break;
            case 1:
                static_cast<void>(co_await as_result(file::rename(top, one, other)));
                break;
            case 2:
                static_cast<void>(co_await as_result(file::remove(top, one)));
                break;
            default:
                static_cast<void>(co_await as_result(file::replace(top, one, "x")));
        }
        if (test::choose(3) == 0) co_await some_time();
    }
}

using name_set = std::set<std::string>;

/// What a program that only looks at the changes believes is there.
inline task<> follow_names(file::watch& changes, name_set& known) {
    for (;;) {
        auto const next = co_await changes.next();
        if (next.change == file::change::created) known.insert(next.name);
        if (next.change == file::change::removed) known.erase(next.name);
    }
}

inline task<> watch_names() {
    test::add_directory("/top");
    file::root const top("/top");
    file::watch changes;
    auto added = co_await as_result(changes.add("/top"));
    while (!added) added = co_await as_result(changes.add("/top"));
    name_set known;
    auto const changing = [&]() -> task<> {
        co_await when_all(change_names(top), change_names(top));
        co_await rill::sleep(1h);
    };
    co_await when_any(follow_names(changes, known), changing());
    name_set there;
    file::walk entries(top, ".", {.most_depth = 0});
    while (auto const each = co_await entries.next()) there.insert(each->path);
    test::expect(there == known, "who watches knows what there is");
}

inline task<> walk_what_changes() {
    test::add_directory("/top");
    file::root const top("/top");
    auto const walking = [&]() -> task<> {
        for (int i = 0; i < 5; ++i) {
            file::walk tree(top);
            name_set seen;
            for (;;) {
                auto const entry = co_await as_result(tree.next());
                if (!entry || !*entry) break;
                test::expect(seen.insert((*entry)->path).second, "each once");
            }
            co_await some_time();
        }
    };
    co_await when_any(when_all(change_names(top), change_names(top)), walking());
    co_await rill::sleep(1s);  // the pool ends what it had begun
}

}  // namespace rill::sim
