// Walks from the connection's peer outwards, as far as proxies are trusted.
// RFC 7239 sections 4, 5 and 8.1.
#include "http/client_info.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rill/codec/forwarded.hpp"

namespace rill::http {

namespace {

// Each proxy adds its element behind those that came to it: the last is the nearest one's. Those
// in front are what a client may have made up, so no more are kept than proxies stand in a row.
class last_elements {
public:
    static constexpr std::size_t most = 32;

    last_elements(request const& req, std::string_view name) {
        for (field const each : req.headers()) {
            if (!same_name(each.name, name)) continue;
            http1::list_reader elements(each.value);
            while (auto const one = elements.next()) all_[count_++ % most] = *one;
        }
    }
    [[nodiscard]] std::size_t size() const noexcept { return std::min(count_, most); }
    // 0 is the last.
    [[nodiscard]] std::string_view from_behind(std::size_t index) const noexcept {
        return all_[(count_ - 1 - index) % most];
    }
    // What the proxy that is `index` hops away has said, or the farthest that has said something.
    [[nodiscard]] std::string_view said_by(std::size_t index) const noexcept {
        return count_ == 0 ? std::string_view() : from_behind(std::min(index, size() - 1));
    }

private:
    std::array<std::string_view, most> all_;
    std::size_t count_ = 0;
};

void take_scheme(client_info& into, std::string_view said) {
    for (std::string_view const known : {"http", "https"}) {
        if (http1::equal_ignoring_case(said, known)) into.scheme = known;
    }
}

void take_host(client_info& into, std::string_view said) {
    if (!said.empty() && http1::is_host(said)) into.host = said;
}

void walk_forwarded(client_info& into, request const& req, network_set const& trusted) {
    last_elements const elements(req, "forwarded");
    for (std::size_t i = 0; i != elements.size() && trusted.contains(into.address); ++i) {
        auto const said = codec::parse_forwarded(elements.from_behind(i));
        if (!said) return;
        take_scheme(into, said->scheme);
        take_host(into, said->host);
        auto const hop = codec::parse_hop(said->client);
        if (!hop) return;
        into.address = *hop;
    }
}

void walk_x_forwarded(client_info& into, request const& req, network_set const& trusted) {
    last_elements const elements(req, "x-forwarded-for");
    std::size_t hops = 0;
    while (hops != elements.size() && trusted.contains(into.address)) {
        auto const hop = codec::parse_hop(elements.from_behind(hops));
        if (!hop) break;
        into.address = *hop;
        ++hops;
    }
    std::size_t const farthest = hops == 0 ? 0 : hops - 1;
    take_scheme(into, last_elements(req, "x-forwarded-proto").said_by(farthest));
    take_host(into, last_elements(req, "x-forwarded-host").said_by(farthest));
}

}  // namespace

client_info client_behind(request const& req, address const& peer, server_options const& options) {
    client_info found{.address = peer.unmapped(),
                      .scheme = options.tls != nullptr ? "https" : "http",
                      .host = std::string(req.host())};
    if (options.trusted_proxies == nullptr || !options.trusted_proxies->contains(peer)) {
        return found;
    }
    if (options.forwarded == forwarded_fields::forwarded) {
        walk_forwarded(found, req, *options.trusted_proxies);
    } else if (options.forwarded == forwarded_fields::x_forwarded) {
        walk_x_forwarded(found, req, *options.trusted_proxies);
    }
    return found;
}

}  // namespace rill::http
