// content_type: by extension, whatever its case.
#include "rill/web/content_type.hpp"

#include <doctest/doctest.h>

using rill::web::content_type;

TEST_CASE("the extension tells the type, and text says its charset") {
    CHECK(content_type("index.html").view() == "text/html; charset=utf-8");
    CHECK(content_type("A.B.JS").view() == "text/javascript; charset=utf-8");
    CHECK(content_type("dir.d/photo.JPeG").view() == "image/jpeg");
    CHECK(content_type("data.json").view() == "application/json");
    CHECK(content_type("a.7z").view() == "application/x-7z-compressed");
    CHECK(content_type("a.zst").view() == "application/zstd");
    CHECK(content_type("module.wasm").view() == "application/wasm");
    CHECK(content_type("f.woff2").view() == "font/woff2");
    CHECK(content_type("m.webmanifest").view() == "application/manifest+json");
}

TEST_CASE("what is unknown is a stream of octets") {
    // RFC 9110 section 8.3.
    for (char const* name : {"", "README", "a.", ".html", "dir.html/file", "a.unknownextension",
                             "a.htm\xc3\xa9", "a.html~", "a.h\n"}) {
        CAPTURE(name);
        CHECK(content_type(name).view() == "application/octet-stream");
    }
}
