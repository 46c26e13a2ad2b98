// UDP sockets.
#include "rill/io/udp.hpp"

#include "io/message_socket.hpp"

namespace rill::udp {

namespace {

datagram_settings settings_of(options const& with) noexcept {
    return {.reuse_address = with.reuse_address,
            .reuse_port = with.reuse_port,
            .only_v6 = !with.dual_stack,
            .broadcast = with.broadcast,
            .tell_failures = true,
            .dont_fragment = with.dont_fragment,
            .merge = with.merge,
            .tell_local = with.tell_local,
            .hops = with.hops,
            .traffic_class = with.traffic_class,
            .multicast_hops = with.multicast_hops,
            .multicast_loop = with.multicast_loop ? -1 : 0,
            .multicast_interface = with.multicast_interface,
            .send_buffer_bytes = with.send_buffer_bytes,
            .receive_buffer_bytes = with.receive_buffer_bytes,
            .mode = -1};
}

address parse_or_throw(std::string_view text, std::string_view operation) {
    auto parsed = address::parse(text);
    if (!parsed || parsed->kind() == address::family::local) {
        throw error(errc::bad_address, operation, text,
                    "write it as :9000, 127.0.0.1:0 or [::1]:80");
    }
    return *std::move(parsed);
}

}  // namespace

socket socket::open(address::family kind, address const* at, options const& with,
                    std::string_view what, std::string_view where) {
    core& home = core::current();
    auto const opened = home.io().open_datagrams(kind, at, settings_of(with));
    if (!opened) {
        bool const taken = opened.error() == std::errc::address_in_use;
        throw error(opened.error(), what, where,
                    taken ? "another socket has this port; stop it or choose another" : "");
    }
    try {
        return socket(new message_socket(home, *opened,
                                         {.kind = kind,
                                          .large_buffers = with.large_datagrams || with.merge,
                                          .most_unread = with.most_unread}));
    } catch (...) {
        home.io().close(*opened);
        throw;
    }
}

socket socket::bind(std::string_view at, options with) {
    return bind(parse_or_throw(at, "bind"), with);
}

socket socket::bind(address const& at, options with) {
    return open(at.kind(), &at, with, "bind", at.text());
}

socket socket::connect(std::string_view to, options with) {
    return connect(parse_or_throw(to, "connect to"), with);
}

socket socket::connect(address const& to, options with) {
    socket made = open(to.kind(), nullptr, with, "connect to", to.text());
    auto const set = core::current().io().set_peer(made.state().descriptor(), to);
    if (!set) throw error(set.error(), "connect to", to.text());
    made.state().set_peer(to);
    return made;
}

send_datagram_operation socket::send_segments(bytes what, std::uint16_t segment_bytes,
                                              address const* to, time_point deadline) noexcept {
    RILL_ASSERT(segment_bytes != 0, "a segment has at least one byte");
    return {state(), what, segment_bytes, to, deadline};
}

void socket::join(address const& group, std::uint32_t interface) {
    auto const joined = state().home().io().join(state().descriptor(), group, interface, false);
    if (!joined) throw error(joined.error(), "join the group", group.text());
}

void socket::leave(address const& group, std::uint32_t interface) {
    auto const left = state().home().io().join(state().descriptor(), group, interface, true);
    if (!left) throw error(left.error(), "leave the group", group.text());
}

address socket::remote_address() const {
    return state().home().io().remote(state().descriptor()).unmapped();
}

counters socket::counters() const noexcept {
    return {.dropped = state().home().io().dropped(state().descriptor()),
            .failures = state().failures()};
}

}  // namespace rill::udp
