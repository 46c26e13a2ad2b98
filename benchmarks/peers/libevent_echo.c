// TCP echo with libevent as its users write it: a bufferevent for each connection, the input buffer
// moved to the output buffer.
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static void on_read(struct bufferevent* client, void* context) {
    (void)context;
    bufferevent_write_buffer(client, bufferevent_get_input(client));
}

static void on_event(struct bufferevent* client, short events, void* context) {
    (void)context;
    if ((events & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) != 0) bufferevent_free(client);
}

static void on_accept(struct evconnlistener* listener, evutil_socket_t fd, struct sockaddr* peer,
                      int length, void* context) {
    (void)peer;
    (void)length;
    (void)context;
    int const on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct bufferevent* client =
        bufferevent_socket_new(evconnlistener_get_base(listener), fd, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(client, on_read, NULL, on_event, NULL);
    bufferevent_enable(client, EV_READ | EV_WRITE);
}

int main(int argc, char** argv) {
    struct sockaddr_storage address;
    int length = sizeof address;
    if (argc != 2 ||
        evutil_parse_sockaddr_port(argv[1], (struct sockaddr*)&address, &length) != 0) {
        fprintf(stderr, "usage: %s ADDRESS:PORT\n", argv[0]);
        return 2;
    }
    struct sigaction const ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
    struct event_base* base = event_base_new();
    struct evconnlistener* listener =
        evconnlistener_new_bind(base, on_accept, NULL, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE,
                                65535, (struct sockaddr*)&address, length);
    if (listener == NULL) {
        perror("libevent echo");
        return 1;
    }
    event_base_dispatch(base);
    return 0;
}
