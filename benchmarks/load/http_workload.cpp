// HTTP/1.1 with status and body checked; see http_workload.hpp.
#include "http_workload.hpp"

#include <algorithm>

#include "download_workload.hpp"
#include "echo_workload.hpp"
#include "failure.hpp"
#include "http_head.hpp"

namespace load {

http_workload::http_workload(options const& chosen)
    : depth_(chosen.depth),
      busy_(chosen.busy),
      expect_(chosen.expect),
      states_(chosen.connections) {
    auto const request = get_request(chosen.path, chosen.host);
    for (std::size_t i = 0; i < depth_; ++i) requests_ += request;
}

std::span<char const> http_workload::next(std::size_t connection) {
    states_[connection].expected = depth_;
    return requests_;
}

std::size_t http_workload::parse(std::string_view data) const {
    auto const end = data.find("\r\n\r\n");
    if (end == std::string_view::npos) {
        if (data.size() > 16384) throw failure("an answer's head is longer than 16 KiB");
        return 0;
    }
    auto const head = data.substr(0, end + 2);
    if (busy_ && head.starts_with("HTTP/1.1 503 ")) {
        auto const whole = end + 4 + content_length(head);
        return data.size() < whole ? 0 : whole;
    }
    if (!head.starts_with("HTTP/1.1 200 "))
        throw failure("wrong status: " + std::string(head.substr(0, head.find('\r'))));
    auto const length = content_length(head);
    if (length != expect_.size())
        throw failure("a body of " + std::to_string(length) + " bytes, expected " +
                      std::to_string(expect_.size()));
    if (data.size() < end + 4 + length) return 0;
    if (data.substr(end + 4, length) != expect_)
        throw failure("wrong body: " +
                      std::string(data.substr(end + 4, std::min(length, std::size_t{200}))));
    return end + 4 + length;
}

std::size_t http_workload::take(std::string_view& data, bool& refused) {
    std::size_t count = 0;
    while (!data.empty()) {
        if (last_.empty() || !data.starts_with(last_)) {
            auto const length = parse(data);
            if (length == 0) break;
            last_.assign(data.substr(0, length));
        }
        data.remove_prefix(last_.size());
        refused = last_.starts_with("HTTP/1.1 503 ");
        ++count;
    }
    return count;
}

std::size_t http_workload::received(std::size_t connection, std::span<char const> data) {
    auto& self = states_[connection];
    std::string_view rest(data.data(), data.size());
    if (!self.partial.empty()) {
        self.partial.append(rest);
        rest = self.partial;
    }
    auto const count = take(rest, self.refused);
    if (count > self.expected || (count == self.expected && !rest.empty()))
        throw failure("more answers than requests");
    self.expected -= count;
    if (rest.empty()) {
        self.partial.clear();
    } else {
        self.partial = std::string(rest);
    }
    return count;
}

std::unique_ptr<workload> make_workload(options const& chosen) {
    if (chosen.kind == protocol::echo) return std::make_unique<echo_workload>(chosen);
    if (!chosen.pattern.empty()) return std::make_unique<download_workload>(chosen);
    return std::make_unique<http_workload>(chosen);
}

}  // namespace load
