// Large bodies; see download_workload.hpp.
#include "download_workload.hpp"

#include <algorithm>

#include "failure.hpp"
#include "http_head.hpp"

namespace load {

download_workload::download_workload(options const& chosen)
    : request_(get_request(chosen.path, chosen.host)),
      pattern_(chosen.pattern + chosen.pattern),
      period_(chosen.pattern.size()),
      size_(chosen.size),
      states_(chosen.connections) {}

std::span<char const> download_workload::next(std::size_t connection) {
    states_[connection].asked = true;
    return request_;
}

bool download_workload::take_head(state& self, std::string_view& data) const {
    auto const before = self.head.size();
    self.head.append(data.substr(0, 16384));
    auto const end = self.head.find("\r\n\r\n", before < 3 ? 0 : before - 3);
    if (end == std::string::npos) {
        if (self.head.size() > 16384) throw failure("an answer's head is longer than 16 KiB");
        data = {};
        return false;
    }
    data.remove_prefix(end + 4 - before);
    self.head.resize(end + 2);
    if (!self.head.starts_with("HTTP/1.1 200 "))
        throw failure("wrong status: " + self.head.substr(0, self.head.find('\r')));
    auto const length = content_length(self.head);
    if (length != size_)
        throw failure("a body of " + std::to_string(length) + " bytes, expected " +
                      std::to_string(size_));
    self.head.clear();
    return true;
}

void download_workload::compare(std::string_view data, std::size_t offset) const {
    while (!data.empty()) {
        auto const at = offset % period_;
        auto const count = std::min(data.size(), period_);
        if (data.substr(0, count) != std::string_view(pattern_).substr(at, count))
            throw failure("wrong body after " + std::to_string(offset) + " bytes of it");
        data.remove_prefix(count);
        offset += count;
    }
}

std::size_t download_workload::received(std::size_t connection, std::span<char const> data) {
    auto& self = states_[connection];
    std::string_view rest(data.data(), data.size());
    if (!self.asked) throw failure("more answers than requests");
    if (!self.in_body) {
        if (!take_head(self, rest)) return 0;
        self.in_body = true;
        self.left = size_;
    }
    if (rest.size() > self.left) throw failure("more answers than requests");
    compare(rest, size_ - self.left);
    self.left -= rest.size();
    if (self.left != 0) return 0;
    self.in_body = false;
    self.asked = false;
    return 1;
}

}  // namespace load
