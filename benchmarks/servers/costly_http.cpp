// A server whose every answer costs CPU time, for the benchmark of overload.
// Usage: costly_http ADDRESS MICROSECONDS [SHED_MICROSECONDS]
#include <rill/web.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>

namespace {

// Work that no compiler leaves out; so many rounds of it are one answer.
std::uint64_t work(std::uint64_t rounds) {
    std::uint64_t volatile value = rounds;
    for (std::uint64_t i = 0; i < rounds; ++i) value = value * 0x9e37'79b9'7f4a'7c15 + i;
    return value;
}

double cpu_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// How many rounds take so long: the fastest of some tries, by the CPU's time and not the wall's.
std::uint64_t rounds_of(double microseconds) {
    constexpr std::uint64_t sample = 2'000'000;
    double fastest = 1e9;
    for (int i = 0; i < 10; ++i) {
        double const begin = cpu_seconds();
        static_cast<void>(work(sample));
        fastest = std::min(fastest, cpu_seconds() - begin);
    }
    return static_cast<std::uint64_t>(microseconds / 1e6 / fastest * sample);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: costly_http ADDRESS MICROSECONDS [SHED_MICROSECONDS]\n", stderr);
        return 2;
    }
    std::uint64_t const rounds = rounds_of(std::stod(argv[2]));
    rill::web::router app;
    app.get("/", [rounds] {
        static_cast<void>(work(rounds));
        return "Hello, World!";
    });
    rill::web::serve_options options;
    if (argc > 3) options.http.shed_delay = std::chrono::microseconds(std::stoi(argv[3]));
    return rill::web::serve(app, argv[1], options);
}
