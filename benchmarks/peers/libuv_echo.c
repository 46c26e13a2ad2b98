// TCP echo with libuv as its guide teaches it: a buffer from malloc for each read, a write request
// for each answer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct answer {
    uv_write_t request;
    uv_buf_t buffer;
};

static void on_closed(uv_handle_t* handle) {
    free(handle);
}

static void on_alloc(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
    (void)handle;
    buffer->base = malloc(suggested);
    buffer->len = buffer->base == NULL ? 0 : suggested;
}

static void on_written(uv_write_t* request, int status) {
    struct answer* self = (struct answer*)request;
    if (status < 0 && !uv_is_closing((uv_handle_t*)request->handle))
        uv_close((uv_handle_t*)request->handle, on_closed);
    free(self->buffer.base);
    free(self);
}

static void on_read(uv_stream_t* client, ssize_t size, uv_buf_t const* buffer) {
    if (size > 0) {
        struct answer* self = malloc(sizeof *self);
        if (self == NULL) abort();
        self->buffer = uv_buf_init(buffer->base, (unsigned)size);
        uv_write(&self->request, client, &self->buffer, 1, on_written);
        return;
    }
    if (size < 0 && !uv_is_closing((uv_handle_t*)client)) uv_close((uv_handle_t*)client, on_closed);
    free(buffer->base);
}

static void on_connection(uv_stream_t* server, int status) {
    if (status < 0) return;
    uv_tcp_t* client = malloc(sizeof *client);
    if (client == NULL) abort();
    uv_tcp_init(server->loop, client);
    if (uv_accept(server, (uv_stream_t*)client) != 0) {
        uv_close((uv_handle_t*)client, on_closed);
        return;
    }
    uv_tcp_nodelay(client, 1);
    uv_read_start((uv_stream_t*)client, on_alloc, on_read);
}

int main(int argc, char** argv) {
    char host[64];
    int port = 0;
    if (argc != 2 || sscanf(argv[1], "%63[^:]:%d", host, &port) != 2) {
        fprintf(stderr, "usage: %s ADDRESS:PORT\n", argv[0]);
        return 2;
    }
    uv_loop_t* loop = uv_default_loop();
    uv_tcp_t server;
    struct sockaddr_in address;
    uv_tcp_init(loop, &server);
    uv_ip4_addr(host, port, &address);
    int result = uv_tcp_bind(&server, (struct sockaddr const*)&address, 0);
    if (result == 0) result = uv_listen((uv_stream_t*)&server, 65535, on_connection);
    if (result != 0) {
        fprintf(stderr, "libuv echo: %s\n", uv_strerror(result));
        return 1;
    }
    return uv_run(loop, UV_RUN_DEFAULT);
}
