// HTTP/1.1 with bodies that are too large to be kept: each byte is compared as it comes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "workload.hpp"

namespace load {

/// The body is a pattern that comes again and again, so that what it is compared with stays in the
/// cache.
class download_workload final : public workload {
public:
    explicit download_workload(options const& chosen);

    [[nodiscard]] std::size_t batch() const override { return 1; }
    [[nodiscard]] std::span<char const> next(std::size_t connection) override;
    [[nodiscard]] std::size_t received(std::size_t connection, std::span<char const> data) override;

private:
    struct state {
        std::string head;  // as much as has come, without what follows it
        std::size_t left = 0;
        bool in_body = false;
        bool asked = false;
    };

    // Takes the head off the front of `data`. True when all of it has come.
    [[nodiscard]] bool take_head(state& self, std::string_view& data) const;
    void compare(std::string_view data, std::size_t offset) const;

    std::string request_;
    std::string pattern_;  // twice, so that a period begins anywhere in the first
    std::size_t period_;
    std::size_t size_;
    std::vector<state> states_;
};

}  // namespace load
