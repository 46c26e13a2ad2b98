// Runs a program that some system calls are refused to, as a container's seccomp profile does it.
//
//     refuse_calls EPERM io_uring_setup,io_uring_enter PROGRAM [ARGUMENT...]
//
// Exit code 77 where this system has no seccomp filters. seccomp(2), Documentation/userspace-api/
// seccomp_filter.rst of Linux.
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { MOST_CALLS = 8, CANNOT = 77, MISUSED = 64 };

// The numbers that all architectures share (from 424 on).
static struct {
    char const* name;
    unsigned number;
} const calls[] = {
    {"io_uring_setup", 425}, {"io_uring_enter", 426}, {"io_uring_register", 427},
    {"openat2", 437},        {"epoll_pwait2", 441},
};

static int number_of(char const* name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(calls[i].name, name) == 0) return (int)calls[i].number;
    }
    return -1;
}

// One comparison for each call, then the verdicts.
static int install(int const* numbers, unsigned count, unsigned error) {
    struct sock_filter program[MOST_CALLS + 3];
    unsigned at = 0;
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (unsigned i = 0; i < count; ++i) {
        unsigned char const to_refusal = (unsigned char)(count - i);
        program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                     (unsigned)numbers[i], to_refusal, 0);
    }
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error);
    struct sock_fprog const filter = {.len = (unsigned short)at, .filter = program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0;
}

int main(int argc, char** argv) {
    int numbers[MOST_CALLS];
    unsigned count = 0;
    unsigned error = 0;
    if (argc >= 4) {
        error = strcmp(argv[1], "EPERM") == 0    ? EPERM
                : strcmp(argv[1], "ENOSYS") == 0 ? ENOSYS
                : strcmp(argv[1], "ENOMEM") == 0 ? ENOMEM
                                                 : 0;
        for (char* name = argv[2]; name != NULL && count < MOST_CALLS;) {
            char* const comma = strchr(name, ',');
            if (comma != NULL) *comma = '\0';
            numbers[count++] = number_of(name);
            name = comma != NULL ? comma + 1 : NULL;
        }
    }
    for (unsigned i = 0; i < count; ++i) {
        if (numbers[i] < 0) error = 0;
    }
    if (error == 0) {
        fprintf(stderr, "usage: refuse_calls EPERM|ENOSYS|ENOMEM CALL[,CALL...] PROGRAM...\n");
        return MISUSED;
    }
    if (install(numbers, count, error)) {
        perror("refuse_calls: no filter");
        return CANNOT;
    }
    execv(argv[3], argv + 3);
    perror(argv[3]);
    return MISUSED;
}
