// Local sockets of messages.
#include "rill/io/local.hpp"

#include "io/message_socket.hpp"
#include "io/socket.hpp"

namespace rill::local {

namespace {

address parse_or_throw(std::string_view text, std::string_view operation) {
    auto parsed = address::parse(text);
    if (!parsed || parsed->kind() != address::family::local) {
        throw error(errc::bad_address, operation, text, "write it as unix:/path or unix:@name");
    }
    return *std::move(parsed);
}

result<credentials> credentials_of(driver& io, int descriptor) noexcept {
    auto const found = io.identity(descriptor);
    if (!found) return found.error();
    return credentials{.process = found->process, .user = found->user, .group = found->group};
}

message_socket* make(core& home, int descriptor, options const& with, bool stream) {
    try {
        return new message_socket(home, descriptor,
                                  {.kind = address::family::local,
                                   .stream = stream,
                                   .large_buffers = with.large_messages,
                                   .most_unread = with.most_unread});
    } catch (...) {
        home.io().close(descriptor);
        throw;
    }
}

/// Both ends of a pair; the second descriptor is closed, too, where the first end cannot be made.
std::array<message_socket*, 2> make_both(socket_kind kind, options const& with) {
    core& home = core::current();
    auto const opened = home.io().open_pair(kind);
    if (!opened) throw error(opened.error(), "make a pair of local sockets");
    file::handle second((*opened)[1]);
    bool const stream = kind == socket_kind::stream;
    message_socket* const first = make(home, (*opened)[0], with, stream);
    try {
        return {first, make(home, second.release(), with, stream)};
    } catch (...) {
        first->release();
        throw;
    }
}

}  // namespace

result<credentials> peer_of(tcp::stream const& what) noexcept {
    auto const& socket = static_cast<rill::socket const&>(what.bytes_of());
    return credentials_of(socket.home().io(), socket.descriptor());
}

pair make_pair(options with) {
    auto const made = make_both(socket_kind::datagram, with);
    return {socket(made[0]), socket(made[1])};
}

pair make_stream_pair(options with) {
    auto const made = make_both(socket_kind::stream, with);
    return {socket(made[0]), socket(made[1])};
}

socket socket::open(address const* at, options const& with, std::string_view what,
                    std::string_view where) {
    core& home = core::current();
    datagram_settings settings;
    settings.mode = with.mode;
    settings.send_buffer_bytes = with.send_buffer_bytes;
    settings.receive_buffer_bytes = with.receive_buffer_bytes;
    auto const opened = home.io().open_datagrams(address::family::local, at, settings);
    if (!opened) {
        bool const taken = opened.error() == std::errc::address_in_use;
        throw error(opened.error(), what, where,
                    taken ? "another socket has this name; stop it or choose another" : "");
    }
    return socket(make(home, *opened, with, false));
}

socket socket::bind(std::string_view at, options with) {
    address const where = parse_or_throw(at, "bind");
    socket made = open(&where, with, "bind", at);
    made.state().set_name(where);
    return made;
}

socket socket::connect(std::string_view to, options with) {
    address const target = parse_or_throw(to, "connect to");
    socket made = open(nullptr, with, "connect to", to);
    auto const set = core::current().io().set_peer(made.state().descriptor(), target);
    if (!set) throw error(set.error(), "connect to", to);
    made.state().set_peer(target);
    return made;
}

socket socket::over(tcp::stream&& of, options with) {
    int const descriptor = of.take_descriptor();
    return socket(make(core::current(), descriptor, with, true));
}

send_datagram_operation socket::send(bytes what, std::span<file::handle const> descriptors,
                                     time_point deadline) noexcept {
    RILL_ASSERT(descriptors.size() <= message_extras::most_descriptors,
                "send at most 16 descriptors with one message");
    return {state(), what, descriptors, deadline};
}

void socket::finish() noexcept {
    message_socket& of = state();
    if (!of.closed()) of.home().io().shut_down(of.descriptor(), shutdown_side::write);
}

result<credentials> socket::peer() const noexcept {
    return credentials_of(state().home().io(), state().descriptor());
}

}  // namespace rill::local
