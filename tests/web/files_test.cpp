// Files below a root, through a server. RFC 3986 section 5.2.4, RFC 9110 section 9.3.1, CWE-22.
#include "rill/web/files.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "rill/base/error.hpp"
#include "support/openat2.hpp"
#include "support/site.hpp"

using namespace rill;
using test::folder;
using test::raw_answer;
using test::raw_client;
using test::site;
using test::test_server;

TEST_CASE("a small and a large file arrive byte by byte as they are") {
    site with;
    std::string large;
    for (int i = 0; large.size() < 9'000'000; ++i) large += std::to_string(i) + '\n';
    with.disk.write("root/large.bin", large);
    with.disk.write("root/empty.css", "");
    std::string const middle = large.substr(0, 64 * 1024);
    with.disk.write("root/middle.html", middle);

    raw_answer const small = with.get("/a.txt");
    CHECK(small.status == 200);
    CHECK(small.body == "small");
    CHECK(small.field("content-type") == "text/plain; charset=utf-8");
    CHECK(with.get("/large.bin").body == large);
    CHECK(with.get("/middle.html").body == middle);
    raw_answer const empty = with.get("/empty.css");
    CHECK(empty.field("content-length") == "0");
    CHECK(empty.field("content-type") == "text/css; charset=utf-8");

    with.client->send("HEAD /large.bin HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(with.client->read(true).field("content-length") == std::to_string(large.size()));

    with.client->send(
        "GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\nGET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n"
        "GET /middle.html HTTP/1.1\r\nHost: a\r\n\r\nGET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(with.client->read().body == large);
    CHECK(with.client->read().body == "small");
    CHECK(with.client->read().body == middle);
    CHECK(with.client->read().body == "small");
}

TEST_CASE("a client that takes nothing of a large file is cut off") {
    folder const disk;
    disk.write("root/large.bin", std::string(64 * 1024 * 1024, 'x'));
    web::router routes;
    routes.get("/{path...}", web::files(disk.path("root").string()));
    web::serve_options options;
    options.http.write_timeout = 50ms;
    test_server running(routes, options);
    raw_client stalled(running.at(), 4096);
    stalled.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n");
    raw_client other(running.at());
    CHECK(other.ask("GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n").body == "small");
    CHECK(running.stop(30s).cut == 0);
    CHECK(stalled.read_rest().size() < 64 * 1024 * 1024);
}

TEST_CASE("no spelling of a path leaves the root (C043)") {
    site with;
    for (std::string const target : {"/..%2fsecret.txt",
                                     "/..%2f..%2fetc/passwd",
                                     "/%2e%2e/secret.txt",
                                     "/%2e%2e/",
                                     "/../",
                                     "/../secret.txt",
                                     "/sub/../../secret.txt",
                                     "/.%2f",
                                     "/..%5csecret.txt",
                                     "/%252e%252e/",
                                     "//etc/passwd",
                                     "/a%00.txt",
                                     "/a.txt%00",
                                     "/sub%2f..%2fa.txt",
                                     "/%2fetc%2fpasswd",
                                     "/../root-secret/a.txt",
                                     "/%2e%2e/root-secret/a.txt",
                                     "-secret/a.txt",
                                     "/sub/%2e%2e",
                                     "/a.txt/",
                                     "/a.txt/..",
                                     "/%",
                                     "/%zz"}) {
        CAPTURE(target);
        raw_client other(with.running->at());
        raw_answer const answer = other.ask("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK((answer.status == 404 || answer.status == 400));
        CHECK(answer.body.find("secret") == std::string::npos);
    }
}

TEST_CASE("no link leads out of the root, and a link inside of it is followed") {
    site with;
    std::filesystem::create_symlink("../secret.txt", with.disk.path("root/relative"));
    std::filesystem::create_symlink(with.disk.path("secret.txt"), with.disk.path("root/absolute"));
    std::filesystem::create_directory_symlink("..", with.disk.path("root/up"));
    std::filesystem::create_symlink("a.txt", with.disk.path("root/inside"));
    for (std::string const target : {"/relative", "/absolute", "/up/secret.txt", "/up/", "/up"}) {
        CAPTURE(target);
        raw_answer const answer = with.get(target);
        CHECK((answer.status == 404 || answer.status == 403));
        CHECK(answer.body.find("secret") == std::string::npos);
    }
    // Without openat2 no link is followed at all.
    CHECK(with.get("/inside").body == (test::has_openat2() ? "small" : ""));
}

TEST_CASE("a FIFO or a socket in the root is not served and blocks nothing") {
    site with;
    REQUIRE(::mkfifo(with.disk.path("root/pipe").c_str(), 0600) == 0);
    CHECK(with.get("/pipe").status == 404);
    raw_answer const page = with.get("/");
    CHECK(page.status == 200);
    CHECK(page.body.find("pipe") == std::string::npos);
}

TEST_CASE("names of dots, of other letters and with a percent are found (C044, C045)") {
    site with;
    for (std::string const name :
         {"..file", "...", "a..b", "中 文.txt", "50%.png", "a%2fb", "a+b", "+"}) {
        with.disk.write("root/" + name, name);
    }
    CHECK(with.get("/..file").body == "..file");
    CHECK(with.get("/...").body == "...");
    CHECK(with.get("/a..b").body == "a..b");
    CHECK(with.get("/%E4%B8%AD%20%E6%96%87.txt").body == "中 文.txt");
    CHECK(with.get("/50%25.png").body == "50%.png");
    CHECK(with.get("/a%252fb").body == "a%2fb");
    CHECK(with.get("/a+b").body == "a+b");
    CHECK(with.get("/+").body == "+");
    CHECK(with.get("/%2B").body == "+");
}

TEST_CASE("hidden files are served and listed only where that is asked for") {
    SUBCASE("off") {
        site with;
        with.disk.write("root/.env", "hidden");
        CHECK(with.get("/.env").status == 404);
        CHECK(with.get("/%2eenv").status == 404);
        CHECK(with.get("/").body.find(".env") == std::string::npos);
    }
    SUBCASE("on") {
        site with({.show_hidden = true});
        with.disk.write("root/.env", "hidden");
        CHECK(with.get("/.env").body == "hidden");
        CHECK(with.get("/").body.find(".env") != std::string::npos);
    }
}

TEST_CASE("a directory is redirected to its slash, and answers with its index or a page") {
    site with;
    raw_answer const moved = with.get("/sub?x=1");
    CHECK(moved.status == 301);
    CHECK(moved.field("location") == "/sub/?x=1");
    raw_answer const page = with.get("/sub/");
    CHECK(page.status == 200);
    CHECK(page.field("content-type") == "text/html; charset=utf-8");
    with.disk.write("root/sub/index.html", "<p>index");
    CHECK(with.get("/sub/").body == "<p>index");
    std::string const list = with.get("/").body;
    CHECK(list.find("a.txt") != std::string::npos);
    CHECK(list.find("sub/") != std::string::npos);
    CHECK(list.find("secret") == std::string::npos);
}

TEST_CASE("a directory lists itself as JSON for who wants that more than a page") {
    site with;
    for (std::string const accept :
         {"application/json", "text/html;q=0.5, application/json", "application/*"}) {
        CAPTURE(accept);
        raw_answer const list = with.get("/", "Accept: " + accept + "\r\n");
        CHECK(list.field("content-type") == "application/json");
        CHECK(list.field("vary") == "accept");
        CHECK(list.body.find(R"({"name":"a.txt","href":"a.txt","type":"file","size":5,)") !=
              std::string::npos);
        CHECK(list.body.find(R"({"name":"sub","href":"sub/","type":"directory",)") !=
              std::string::npos);
        CHECK(list.body.find("secret") == std::string::npos);
    }
    for (std::string const accept :
         {"*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "application/json;q=0"}) {
        CAPTURE(accept);
        raw_answer const page = with.get("/", "Accept: " + accept + "\r\n");
        CHECK(page.field("content-type") == "text/html; charset=utf-8");
        CHECK(page.field("vary") == "accept");
    }
}

TEST_CASE("a large directory lists every entry, as a page and as JSON") {
    site with;
    for (int i = 0; i < 1000; ++i) with.disk.write("root/sub/f" + std::to_string(i), "");
    std::string const page = with.get("/sub/").body;
    std::string const list = with.get("/sub/", "Accept: application/json\r\n").body;
    std::size_t at_page = 0;
    std::size_t at_list = 0;
    for (int i = 0; i < 1000; ++i) {  // sorted as numbers
        std::string const name = "f" + std::to_string(i);
        at_page = page.find("href=\"" + name + "\"", at_page);
        at_list = list.find("\"name\":\"" + name + "\"", at_list);
        REQUIRE(at_page != std::string::npos);
        REQUIRE(at_list != std::string::npos);
    }
}

TEST_CASE("without a listing a directory without index is not found") {
    site with({.listing = false});
    CHECK(with.get("/").status == 404);
    CHECK(with.get("/sub/").status == 404);
    with.disk.write("root/index.html", "<p>index");
    CHECK(with.get("/").body == "<p>index");
}

TEST_CASE("a redirect to a directory never names another host") {
    site with;
    std::filesystem::create_directories(with.disk.path("root/evil.example"));
    for (std::string const target :
         {"//evil.example", "/%2fevil.example", "//evil.example/%2e", "/.//evil.example"}) {
        CAPTURE(target);
        raw_answer const answer = with.get(target);
        CHECK(answer.field("location").substr(0, 2) != "//");
    }
}

TEST_CASE("a missing root is told at once, with its name") {
    CHECK_THROWS_WITH_AS(web::files("no-such-directory-here"),
                         doctest::Contains("no-such-directory-here"), rill::error);
}

TEST_CASE("a file without permission is forbidden") {
    if (::geteuid() == 0) return;
    site with;
    with.disk.write("root/locked", "secret");
    ::chmod(with.disk.path("root/locked").c_str(), 0);
    CHECK(with.get("/locked").status == 403);
}
