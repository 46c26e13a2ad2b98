// Which file answers, and as what: siblings, the fallback, types and methods.
// RFC 9110 sections 8.3, 8.4, 9.1 and 12.5.3.
#include <doctest/doctest.h>

#include <array>
#include <filesystem>
#include <string>

#include "support/site.hpp"

using namespace rill;
using namespace std::chrono_literals;
using test::raw_answer;
using test::site;

TEST_CASE("a sibling that is compressed answers by what the client accepts") {
    site with({.precompressed = true});
    with.disk.write("root/app.js", "plain");
    with.disk.write("root/app.js.gz", "gzip bytes");
    with.disk.write("root/app.js.br", "br bytes");
    with.disk.write("root/app.js.zst", "zstd bytes");
    struct row {
        std::string accepts;
        std::string body;
        std::string coding;
    };
    for (row const& each :
         {row{"", "plain", ""}, row{"gzip", "gzip bytes", "gzip"},
          row{"gzip, deflate, br, zstd", "br bytes", "br"}, row{"gzip, zstd", "zstd bytes", "zstd"},
          row{"br;q=0.5, gzip", "gzip bytes", "gzip"}, row{"br;q=0, *", "zstd bytes", "zstd"},
          row{"deflate", "plain", ""}, row{"gzip;q=0", "plain", ""},
          row{"identity, gzip;q=0.5", "plain", ""}}) {
        CAPTURE(each.accepts);
        std::string const fields =
            each.accepts.empty() ? "" : "Accept-Encoding: " + each.accepts + "\r\n";
        raw_answer const answer = with.get("/app.js", fields);
        CHECK(answer.body == each.body);
        CHECK(answer.field("content-encoding") == each.coding);
        CHECK(answer.field("content-type") == "text/javascript; charset=utf-8");
        CHECK(answer.field("vary") == "accept-encoding");
        CHECK(with.head("/app.js", fields).field("content-encoding") == each.coding);
    }
    raw_answer const lines =
        with.get("/app.js", "Accept-Encoding: deflate\r\nAccept-Encoding: gzip\r\n");
    CHECK(lines.body == "gzip bytes");
    CHECK(with.get("/app.js.gz").field("content-encoding").empty());
}

TEST_CASE("each coding has its own tag and its own ranges, and 304 says Vary") {
    site with({.precompressed = true});
    with.disk.write("root/app.js", "plain");
    with.disk.write("root/app.js.gz", "gzip bytes");
    std::string const plain = with.get("/app.js").field("etag");
    std::string const gzip = with.get("/app.js", "Accept-Encoding: gzip\r\n").field("etag");
    CHECK(plain != gzip);
    raw_answer const fresh =
        with.get("/app.js", "Accept-Encoding: gzip\r\nIf-None-Match: " + gzip + "\r\n");
    CHECK(fresh.status == 304);
    CHECK(fresh.field("vary") == "accept-encoding");
    CHECK(with.get("/app.js", "If-None-Match: " + gzip + "\r\n").status == 200);
    raw_answer const part = with.get("/app.js", "Accept-Encoding: gzip\r\nRange: bytes=0-3\r\n");
    CHECK(part.body == "gzip");
    CHECK(part.field("content-encoding") == "gzip");
    CHECK(part.field("content-range") == "bytes 0-3/10");
}

TEST_CASE("a sibling that is older than its file, leads out of the root or is off is not used") {
    site with({.precompressed = true});
    with.disk.write("root/app.js", "plain");
    with.disk.write("root/app.js.gz", "gzip bytes");
    auto const written = std::filesystem::last_write_time(with.disk.path("root/app.js"));
    std::filesystem::last_write_time(with.disk.path("root/app.js.gz"), written - 1h);
    std::filesystem::create_symlink("../secret.txt", with.disk.path("root/app.js.br"));
    std::filesystem::create_directory(with.disk.path("root/app.js.zst"));
    CHECK(with.get("/app.js", "Accept-Encoding: gzip, br, zstd\r\n").body == "plain");
    site off;
    off.disk.write("root/app.js", "plain");
    off.disk.write("root/app.js.gz", "gzip bytes");
    raw_answer const answer = off.get("/app.js", "Accept-Encoding: gzip\r\n");
    CHECK(answer.body == "plain");
    CHECK(answer.count("vary") == 0);
}

TEST_CASE("an index file has siblings, conditions and ranges like any other") {
    site with({.precompressed = true});
    with.disk.write("root/sub/index.html", "<p>index");
    with.disk.write("root/sub/index.html.br", "br bytes");
    CHECK(with.get("/sub/", "Accept-Encoding: br\r\n").body == "br bytes");
    CHECK(with.get("/sub/", "Range: bytes=0-2\r\n").body == "<p>");
    std::string const tag = with.get("/sub/").field("etag");
    CHECK(with.get("/sub/", "If-None-Match: " + tag + "\r\n").status == 304);
}

TEST_CASE("a path without a file is answered with the fallback, but for names with an extension") {
    site with({.listing = false, .fallback = "index.html"});
    with.disk.write("root/index.html", "<p>app");
    for (std::string const target : {"/", "/users/7", "/users/", "/none", "/a.txt/more"}) {
        CAPTURE(target);
        raw_answer const answer = with.get(target);
        CHECK(answer.status == 200);
        CHECK(answer.body == "<p>app");
        CHECK(answer.field("content-type") == "text/html; charset=utf-8");
    }
    CHECK(with.get("/a.txt").body == "small");
    for (std::string const target : {"/none.js", "/sub/none.png", "/.env", "/..%2fsecret"}) {
        CAPTURE(target);
        CHECK(with.get(target).status == 404);
    }
    std::filesystem::create_symlink("../secret.txt", with.disk.path("root/out"));
    CHECK(with.get("/out").status == 404);
    std::filesystem::remove(with.disk.path("root/index.html"));
    CHECK(with.get("/users/7").status == 404);
}

TEST_CASE("content types by extension may be changed, in any case") {
    std::array<web::type_of_extension, 2> const types{
        {{"glsl", http::literal("text/x-glsl")}, {"TXT", http::literal("text/markdown")}}};
    site with({.types = types});
    with.disk.write("root/shader.GLSL", "void");
    with.disk.write("root/a.b/c", "x");
    CHECK(with.get("/shader.GLSL").field("content-type") == "text/x-glsl");
    CHECK(with.get("/a.txt").field("content-type") == "text/markdown");
    with.disk.write("root/x.css", "");
    CHECK(with.get("/x.css").field("content-type") == "text/css; charset=utf-8");
}

TEST_CASE("files are read and nothing else, also where the route takes any method") {
    test::folder const disk;
    web::router routes;
    routes.any("/{path...}", web::files(disk.path("root").string()));
    test::test_server const running(routes);
    test::raw_client client(running.at());
    raw_answer const answer = client.ask("DELETE /a.txt HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(answer.status == 405);
    CHECK(answer.field("allow") == "GET, HEAD");
    CHECK(client.ask("GET /a.txt HTTP/1.1\r\nHost: a\r\n\r\n").body == "small");
}

TEST_CASE(
    "however its path is spelled, a file is one file, and nothing is kept of a spelling (C046)") {
    site with;
    with.disk.write("root/sub/b.txt", "b");
    std::string const tag = with.get("/sub/b.txt").field("etag");
    REQUIRE_FALSE(tag.empty());
    std::string dots;
    for (int i = 0; i < 400; ++i) {
        dots += i % 2 == 0 ? "./" : "%2e/";
        std::string const query = "?" + std::to_string(i);
        CHECK(with.get("/" + dots + "sub/b.txt" + query).field("etag") == tag);
        CHECK(with.get("/sub/" + dots + "%62.txt" + query).field("etag") == tag);
    }
    // What would leave the root on its way is refused, also where it comes back.
    CHECK(with.get("/x/../sub/b.txt").status == 404);
}
