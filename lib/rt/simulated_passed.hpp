// Descriptors that travel between the local sockets of a simulated world.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "simulated_files.hpp"

namespace rill {

/// Copies of descriptors on their way; closed where nobody takes them.
class simulated_passed {
public:
    simulated_passed() = default;
    explicit simulated_passed(simulated_files& in) noexcept : in_(&in) {}
    simulated_passed(simulated_passed&& other) noexcept { *this = std::move(other); }
    simulated_passed& operator=(simulated_passed&& other) noexcept {
        std::swap(in_, other.in_);
        std::swap(all_, other.all_);
        return *this;
    }
    ~simulated_passed() {
        for (int const each : all_) in_->close(each);
    }

    /// Copies these, those of files and pipes. 0 or a negated errno.
    [[nodiscard]] int copy(std::span<int const> what) {
        for (int const each : what) {
            int const copied = in_->copy(each);
            if (copied < 0) return copied;
            all_.push_back(copied);
        }
        return 0;
    }
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    /// They are the caller's.
    [[nodiscard]] std::vector<int> take() noexcept { return std::exchange(all_, {}); }

private:
    simulated_files* in_ = nullptr;
    std::vector<int> all_;
};

}  // namespace rill
