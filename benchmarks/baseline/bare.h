// What the four bare servers share: the listening socket, the constant answer, the blank-line
// counter and the end of the process. No framework, no coroutines, no parsing.
#ifndef BARE_H
#define BARE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The answer has the head fields that rill's hello sends, so both move the same bytes.
#define BARE_ANSWER                           \
    "HTTP/1.1 200 OK\r\n"                     \
    "content-type: text/plain\r\n"            \
    "content-length: 13\r\n"                  \
    "date: Thu, 01 Jan 2026 00:00:00 GMT\r\n" \
    "\r\n"                                    \
    "Hello, World!"
enum {
    BARE_ANSWER_SIZE = sizeof(BARE_ANSWER) - 1,
    // More answers than this for one read go out in several sends.
    BARE_ANSWERS_PER_SEND = 256,
};

// BARE_ANSWER, BARE_ANSWERS_PER_SEND times; lives until the process ends.
extern char* bare_answers;

// Set by SIGINT and SIGTERM; the loops leave when they see it.
extern int volatile bare_stop;

struct bare_counters {
    uint64_t turns;
    uint64_t requests;
    uint64_t enters;
};
extern struct bare_counters bare_counters;

// Listens on argv[1] ("ADDRESS:PORT"), installs the signal handlers, fills bare_answers and
// ignores SIGPIPE. Prints what failed and exits where it cannot.
int bare_listen(int argc, char** argv);

// One more than the largest descriptor this process can get.
size_t bare_descriptor_limit(void);

// Memory that is zero and costs nothing until it is touched.
void* bare_zeroed(size_t size);

// With RILL_STATS=1 prints the counters in the form that rill's servers use.
void bare_report(void);

// Prints what failed with errno and exits.
_Noreturn void bare_die(char const* what);

// One byte of the search for CR LF CR LF; `state` is how many bytes of it have been seen.
static inline unsigned bare_step(unsigned state, char c) {
    if (c == '\r') return state == 2 ? 3 : 1;
    if (c == '\n' && (state == 1 || state == 3)) return state + 1;
    return 0;
}

// Counts the blank lines (CR LF CR LF) that end in `data`. `matched` is how many bytes of the
// next one have been seen, and carries over to the next read of the same connection.
static inline unsigned bare_blank_lines(char const* data, size_t size, uint8_t* matched) {
    unsigned count = 0;
    unsigned state = *matched;
    char const* at = data;
    char const* const end = data + size;
    while (at != end && state != 0) {
        state = bare_step(state, *at++);
        if (state == 4) {
            ++count;
            state = 0;
        }
    }
    char const* begin = at;  // nothing before this byte belongs to a match
    while (at != end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        if (at - begin >= 3 && at[-1] == '\r' && at[-2] == '\n' && at[-3] == '\r') {
            ++count;
            begin = at + 1;
        }
        ++at;
    }
    for (at = end - begin > 3 ? end - 3 : begin; at != end; ++at) state = bare_step(state, *at);
    *matched = (uint8_t)state;
    return count;
}

#endif
