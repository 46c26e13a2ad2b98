// What liburing needs of the kernel's headers, by asking for them instead of by a configure script.
#ifndef LIBURING_COMPAT_H
#define LIBURING_COMPAT_H

#include <linux/time_types.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#else
struct open_how {
    unsigned long long flags;
    unsigned long long mode;
    unsigned long long resolve;
};
#endif

#endif
