// The answer that a file gives: whole, in parts, or that the client has it already.
// RFC 9110 sections 8.8 (validators), 13 (conditions), 14 (ranges) and 15.3.7 (206).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "rill/http/request.hpp"
#include "rill/http/response.hpp"
#include "rill/io/file.hpp"
#include "web/file_cache.hpp"

namespace rill::web {

// A file that was found for a request.
struct found_file {
    file::handle open = {};
    file::status about = {};
    http::literal type = {};       // of what it holds, beneath its coding
    std::string_view coding = {};  // its content coding; empty for none
    bool varies = false;           // what was found depends on Accept-Encoding
    std::shared_ptr<file_content const> content = nullptr;  // where it is in memory, `about` too
};

// What is kept of a file with that text. `cache_control` is for its answers; empty for none.
[[nodiscard]] std::shared_ptr<file_content const> make_content(file::status const& about,
                                                               std::string text,
                                                               std::string_view cache_control);

// The answer to GET or HEAD without Range, from memory.
[[nodiscard]] http::response answer_kept_file(http::request const& req,
                                              std::shared_ptr<file_content const> content,
                                              http::literal type);

// The answer to GET or HEAD. `cache_control` is sent with it unless it is empty. Ranges count for
// GET alone (section 14.2), so HEAD says of a file what a GET without Range would.
[[nodiscard]] http::response answer_with(http::request const& req, found_file what,
                                         std::string_view cache_control);

}  // namespace rill::web
