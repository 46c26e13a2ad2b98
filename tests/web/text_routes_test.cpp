// The table of routes without parameters, in front of the tree.
#include "web/text_routes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace rill::web;

TEST_CASE("a text is found under its own number, and no other text is") {
    std::vector<std::string> shapes{"/"};
    for (char const* const start : {"/a", "/ab", "/abc/", "/abcdefg/x", "/a/long/path/to/a/file"}) {
        for (int i = 0; i < 40; ++i) shapes.push_back(start + std::to_string(i));
    }
    text_routes table(shapes.size());
    for (std::uint32_t i = 0; i < shapes.size(); ++i) table.add(shapes[i], i, none);
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        text_route const* const at = table.find(shapes[i]);
        // A text without a place is left to the tree.
        CHECK((at == nullptr || at->end == i));
        if (at != nullptr) ++found;
        CHECK(table.find(shapes[i] + "x") == nullptr);
        std::string other = shapes[i];
        other[other.size() / 2] = '~';
        CHECK(table.find(other) == nullptr);
    }
    CHECK(found > shapes.size() * 9 / 10);
}

TEST_CASE("texts with the same ends and size are told apart, and those beyond the bound left out") {
    std::vector<std::string> shapes;
    for (char c = 'a'; c <= 'h'; ++c) shapes.push_back(std::string("/same/st") + c + "/the end");
    text_routes table(shapes.size());
    for (std::uint32_t i = 0; i < shapes.size(); ++i) table.add(shapes[i], i, none);
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < shapes.size(); ++i) {
        text_route const* const at = table.find(shapes[i]);
        CHECK((at == nullptr || at->end == i));
        if (at != nullptr) ++found;
    }
    CHECK(found == 4);
}

TEST_CASE(
    "a shape with a parameter or a wildcard is the tree's, and an empty table finds nothing") {
    text_routes table(2);
    std::string const shape{'/', 'a', '/', parameter_mark};
    std::string const rest{'/', wildcard_mark};
    table.add(shape, 0, 0);
    table.add(rest, 1, 1);
    CHECK(table.find(shape) == nullptr);
    CHECK(table.find(rest) == nullptr);
    CHECK(text_routes().find("/") == nullptr);
    CHECK(table.find("") == nullptr);
}
