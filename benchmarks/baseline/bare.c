// What the four bare servers share; see bare.h.
#include "bare.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

char* bare_answers;
int volatile bare_stop;
struct bare_counters bare_counters;

void bare_die(char const* what) {
    fprintf(stderr, "bare server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void on_signal(int number) {
    (void)number;
    bare_stop = 1;
}

static void install_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;  // no SA_RESTART: the waiting call has to return
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

static struct sockaddr_in parse_address(char const* text) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    char host[64];
    char const* colon = strrchr(text, ':');
    if (colon == NULL || (size_t)(colon - text) >= sizeof host) {
        fprintf(stderr, "bare server: '%s' is not ADDRESS:PORT\n", text);
        exit(2);
    }
    memcpy(host, text, (size_t)(colon - text));
    host[colon - text] = '\0';
    if (inet_pton(AF_INET, host[0] == '\0' ? "0.0.0.0" : host, &address.sin_addr) != 1) {
        fprintf(stderr, "bare server: '%s' is not an IPv4 address\n", host);
        exit(2);
    }
    address.sin_port = htons((uint16_t)strtoul(colon + 1, NULL, 10));
    return address;
}

int bare_listen(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s ADDRESS:PORT\n", argv[0]);
        exit(2);
    }
    struct sockaddr_in const address = parse_address(argv[1]);
    install_signals();
    bare_answers = malloc((size_t)BARE_ANSWERS_PER_SEND * BARE_ANSWER_SIZE);
    if (bare_answers == NULL) bare_die("memory for the answers");
    for (size_t i = 0; i < BARE_ANSWERS_PER_SEND; ++i)
        memcpy(bare_answers + i * BARE_ANSWER_SIZE, BARE_ANSWER, BARE_ANSWER_SIZE);

    int const listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) bare_die("socket");
    int const on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Accepted sockets inherit it, so no call per connection is needed.
    setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (bind(listener, (struct sockaddr const*)&address, sizeof address) != 0) bare_die("bind");
    if (listen(listener, 65535) != 0) bare_die("listen");
    return listener;
}

size_t bare_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) bare_die("getrlimit");
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur > 1U << 20) return 1U << 20;
    return (size_t)limit.rlim_cur;
}

void* bare_zeroed(size_t size) {
    void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) bare_die("mmap");
    return memory;
}

void bare_report(void) {
    char const* wanted = getenv("RILL_STATS");
    if (wanted == NULL || wanted[0] != '1') return;
    fprintf(stderr, "rill: turns=%llu requests=%llu enters=%llu\n",
            (unsigned long long)bare_counters.turns, (unsigned long long)bare_counters.requests,
            (unsigned long long)bare_counters.enters);
}
