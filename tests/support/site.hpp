// A directory that is served for the time of a test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "rill/web/files.hpp"
#include "support/raw_client.hpp"
#include "support/test_server.hpp"

namespace rill::test {

// A directory for the time of a test: DIR/root is served, the rest must not be.
class folder {
public:
    folder() {
        std::string name = std::filesystem::temp_directory_path() / "rill-files-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        base_ = name;
        std::filesystem::create_directories(base_ / "root" / "sub");
        std::filesystem::create_directories(base_ / "root-secret");
        write("root-secret/a.txt", "secret");
        write("secret.txt", "secret");
        write("root/a.txt", "small");
    }
    folder(folder const&) = delete;
    folder& operator=(folder const&) = delete;
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(base_, ignored);
    }

    void write(std::string const& name, std::string const& text) const {
        std::ofstream(base_ / name, std::ios::binary) << text;
    }
    [[nodiscard]] std::filesystem::path path(std::string const& name) const { return base_ / name; }

private:
    std::filesystem::path base_;
};

// A server of DIR/root, and a client of it.
struct site {
    folder disk;
    web::router routes;
    std::optional<test_server> running;
    std::optional<raw_client> client;

    // Each request opens its file: tests change files and look at once.
    explicit site(web::files_options options = {}) {
        options.kept_for = 0s;
        routes.get("/{path...}", web::files(disk.path("root").string(), options));
        running.emplace(routes);
        client.emplace(running->at());
    }
    // GET with those field lines, each with its CR LF.
    raw_answer get(std::string const& target, std::string const& fields = "") {
        return client->ask("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
    }
    raw_answer head(std::string const& target, std::string const& fields = "") {
        client->send("HEAD " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
        return client->read(true);
    }
};

}  // namespace rill::test
