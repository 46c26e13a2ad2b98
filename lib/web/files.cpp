// Serving the files below a root.
#include "rill/web/files.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "rill/coro/as_result.hpp"
#include "rill/io/file.hpp"
#include "rill/web/content_type.hpp"
#include "web/index_page.hpp"
#include "web/path.hpp"

namespace rill::web {

namespace {

// Longer paths below a root are not served.
constexpr std::size_t longest_path = 1024;

http::response answer_to(std::error_code why) {
    if (why.category() == std::system_category()) {
        switch (why.value()) {
            case EACCES:
            case EPERM:
                return http::response(http::status::forbidden);
            case EMFILE:
            case ENFILE:
            case ENOMEM:
                return http::response(http::status::service_unavailable);
            default:
                break;
        }
    }
    return http::to_response(http::status::not_found);
}

void close_range(void*, int descriptor) noexcept {
    static_cast<void>(file::handle(descriptor));
}

http::response send_file(file::handle what, file::status const& about, std::string_view name) {
    return {http::status::ok, http::file_range(what.release(), 0, about.size, close_range),
            content_type(name)};
}

}  // namespace

class files::state {
public:
    state(std::string_view path, files_options const& options)
        : root_(path),
          listing_(options.listing),
          show_hidden_(options.show_hidden),
          index_(options.index) {}

    task<http::response> answer(http::request& req) const;

private:
    task<http::response> answer_directory(http::request& req, std::string_view path,
                                          file::handle directory) const;
    task<http::response> answer_listing(std::string_view path, file::handle const& directory) const;

    file::root root_;
    bool listing_;
    bool show_hidden_;
    std::string index_;
};

task<http::response> files::state::answer(http::request& req) const {
    std::array<char, longest_path + 2> memory;
    file_path const path =
        to_file_path(req.encoded_path("path"), memory, {.show_hidden = show_hidden_});
    if (path.outcome == file_path::verdict::malformed) {
        co_return http::response(http::status::bad_request);
    }
    if (path.outcome == file_path::verdict::refused) {
        co_return http::response(http::status::not_found);
    }
    auto opened = co_await as_result(file::open_beneath(root_, path.name.data()));
    if (!opened) co_return answer_to(opened.error());
    file::handle found = *std::move(opened);
    auto const about = found.status();
    if (!about) co_return answer_to(about.error());
    if (about->directory) {
        if (path.wants_directory) {
            auto answer = co_await answer_directory(req, path.name, std::move(found));
            co_return answer;
        }
        std::string location(req.encoded_path());
        location += '/';
        if (!req.query().empty()) location.append("?").append(req.query());
        co_return http::redirect(location, http::status::moved_permanently);
    }
    if (!about->regular || path.wants_directory) {
        co_return http::response(http::status::not_found);
    }
    co_return send_file(std::move(found), *about, path.name);
}

task<http::response> files::state::answer_directory(http::request&, std::string_view path,
                                                    file::handle directory) const {
    if (!index_.empty()) {
        auto opened = co_await as_result(file::open_beneath(directory, index_.c_str()));
        if (opened) {
            auto const about = opened->status();
            if (about && about->regular) co_return send_file(*std::move(opened), *about, index_);
        }
    }
    if (!listing_) co_return http::response(http::status::not_found);
    auto answer = co_await answer_listing(path, directory);
    co_return answer;
}

task<http::response> files::state::answer_listing(std::string_view path,
                                                  file::handle const& directory) const {
    auto found = co_await file::list(directory);
    if (!found) co_return answer_to(found.error());
    std::vector<index_entry> entries;
    entries.reserve(found->size());
    for (file::entry& each : *found) {
        if (!show_hidden_ && each.name.starts_with('.')) continue;
        if (!each.status.regular && !each.status.directory) continue;
        entries.push_back({.name = std::move(each.name),
                           .is_directory = each.status.directory,
                           .size = each.status.size,
                           .modified = each.status.modified});
    }
    co_return http::html(index_page(path, std::move(entries)));
}

files::files(std::string_view root, files_options const& options)
    : state_(std::make_shared<state const>(root, options)) {}

task<http::response> files::operator()(http::request& req) const {
    return state_->answer(req);
}

}  // namespace rill::web
