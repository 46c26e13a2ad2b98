// Macros as other libraries leave them behind: rill's headers must compile after them (C142).
#pragma once

#define ASSERT(x) broken_assert
#define CHECK(x) broken_check
#define REQUIRE(x) broken_require
#define API broken_api
#define EXPORT broken_export
#define LOG(x) broken_log
#define DEBUG 1
#define INFO broken_info
#define WARNING broken_warning
#define ERROR 0
#define FATAL broken_fatal
#define OK 0
#define DELETE 4
#define GET 1
#define POST 3
#define HEAD 2
#define BUFFER_SIZE 4096
#define MAX(a, b) broken_max
#define MIN(a, b) broken_min
#define max(a, b) broken_max
#define min(a, b) broken_min
#define NO_ERROR 0
#define IN broken_in
#define OUT broken_out
#define UNUSED broken_unused
#define likely(x) broken_likely
#define unlikely(x) broken_unlikely
#define container_of broken_container_of
#define TRUE 1
#define FALSE 0
