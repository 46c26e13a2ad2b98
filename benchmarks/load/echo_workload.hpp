// TCP echo: messages cut from random bytes, each at a place of its own, so that an answer to
// another connection or to an earlier message is seen.
#pragma once
#include <vector>

#include "workload.hpp"

namespace load {

class echo_workload final : public workload {
public:
    explicit echo_workload(options const& chosen);

    [[nodiscard]] std::size_t batch() const override { return 1; }
    [[nodiscard]] std::span<char const> next(std::size_t connection) override;
    [[nodiscard]] std::size_t received(std::size_t connection, std::span<char const> data) override;

private:
    struct state {
        std::size_t begin = 0;     // of the message within the pattern
        std::size_t expected = 0;  // bytes that have not come back
        std::size_t sequence = 0;
    };

    std::size_t size_;
    std::vector<char> pattern_;
    std::vector<state> states_;
};

}  // namespace load
