// HTTP/1.1 kept alive (RFC 9112): one request or a pipelined batch of them; status and body
// checked.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "workload.hpp"

namespace load {

class http_workload final : public workload {
public:
    explicit http_workload(options const& chosen);

    [[nodiscard]] std::size_t batch() const override { return depth_; }
    [[nodiscard]] std::span<char const> next(std::size_t connection) override;
    [[nodiscard]] std::size_t received(std::size_t connection, std::span<char const> data) override;
    [[nodiscard]] bool refused(std::size_t connection) const override {
        return states_[connection].refused;
    }

private:
    struct state {
        std::string partial;  // the begin of an answer that has not come whole
        std::size_t expected = 0;
        bool refused = false;
    };

    // Takes whole answers off the front of `data` and counts them.
    std::size_t take(std::string_view& data, bool& refused);
    // Parses the answer at the front. Returns its length, 0 where more bytes are needed.
    [[nodiscard]] std::size_t parse(std::string_view data) const;

    std::size_t depth_;
    bool busy_;
    std::string requests_;
    std::string expect_;
    std::string last_;  // the last answer that was checked: the next one mostly has the same bytes
    std::vector<state> states_;
};

}  // namespace load
