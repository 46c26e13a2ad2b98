// A server on a thread of its own, for the time of a test.
#pragma once

#include <optional>
#include <string_view>
#include <thread>

#include "rill/web/server.hpp"

namespace rill::test {

class test_server {
public:
    explicit test_server(web::router& app, web::serve_options options = {},
                         std::string_view at = "127.0.0.1:0") {
        options.handle_signals = false;
        if (options.run.cores == 0) options.run.cores = 1;
        server_.emplace(app, at, options);
        thread_ = std::thread([this] { report_ = server_->run(); });
        at_ = server_->local_address();
    }
    test_server(test_server const&) = delete;
    test_server& operator=(test_server const&) = delete;
    ~test_server() { static_cast<void>(stop()); }

    [[nodiscard]] address const& at() const noexcept { return at_; }
    [[nodiscard]] web::server& server() noexcept { return *server_; }
    // Stops it, waits for it, and tells how it ended.
    web::serve_report const& stop(duration grace = 0s) {
        if (thread_.joinable()) {
            server_->shutdown(grace);
            thread_.join();
        }
        return report_;
    }

private:
    std::optional<web::server> server_;
    std::thread thread_;
    address at_;
    web::serve_report report_;
};

}  // namespace rill::test
