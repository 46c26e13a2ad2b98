// TCP echo with every byte checked; see echo_workload.hpp.
#include "echo_workload.hpp"

#include <cstring>
#include <random>
#include <string>

#include "failure.hpp"

namespace load {
namespace {

constexpr std::size_t places = 8192;

}  // namespace

echo_workload::echo_workload(options const& chosen)
    : size_(chosen.size), pattern_(chosen.size + places), states_(chosen.connections) {
    std::mt19937_64 random(chosen.seed);
    for (auto& byte : pattern_) byte = static_cast<char>(random());
}

std::span<char const> echo_workload::next(std::size_t connection) {
    auto& self = states_[connection];
    self.begin = (connection * 131 + self.sequence * 17) % places;
    self.expected = size_;
    ++self.sequence;
    return {pattern_.data() + self.begin, size_};
}

std::size_t echo_workload::received(std::size_t connection, std::span<char const> data) {
    auto& self = states_[connection];
    auto const where = [&] { return "connection " + std::to_string(connection); };
    if (data.size() > self.expected) throw failure(where() + ": more bytes than were sent");
    auto const done = size_ - self.expected;
    if (std::memcmp(pattern_.data() + self.begin + done, data.data(), data.size()) != 0)
        throw failure(where() + ": wrong echo after byte " + std::to_string(done) + " of message " +
                      std::to_string(self.sequence));
    self.expected -= data.size();
    return self.expected == 0 ? 1 : 0;
}

}  // namespace load
