// Asks PostgreSQL by libpq's non-blocking interface; rill waits for its socket.
// Run: ./database_query "dbname=postgres" "select generate_series(1, 3)"
#include <libpq-fe.h>
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>

using namespace std::chrono_literals;
using connection = std::unique_ptr<PGconn, void (*)(PGconn*)>;
using answer = std::unique_ptr<PGresult, void (*)(PGresult*)>;

rill::task<> connect(PGconn* to) {
    auto state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED) throw std::runtime_error(PQerrorMessage(to));
        if (state == PGRES_POLLING_READING) co_await rill::readable(PQsocket(to));
        if (state == PGRES_POLLING_WRITING) co_await rill::writable(PQsocket(to));
        state = PQconnectPoll(to);  // may open another socket: ask for it each time
    }
}

rill::task<answer> query(PGconn* of, char const* text) {
    bool good = PQsetnonblocking(of, 1) == 0 && PQsendQuery(of, text) == 1;
    while (good && PQflush(of) == 1) {
        co_await rill::when_any(rill::writable(PQsocket(of)), rill::readable(PQsocket(of)));
        good = PQconsumeInput(of) == 1;  // the server may have to be heard before it listens
    }
    answer last(nullptr, PQclear);
    while (good) {
        while (good && PQisBusy(of) == 1) {
            co_await rill::readable(PQsocket(of));
            good = PQconsumeInput(of) == 1;
        }
        PGresult* const next = PQgetResult(of);
        if (next == nullptr) break;
        last.reset(next);
    }
    good = good && PQresultStatus(last.get()) == PGRES_TUPLES_OK;
    if (!good) throw std::runtime_error(PQerrorMessage(of));
    co_return last;
}

rill::task<> ask(char const* database, char const* text) {
    connection const to(PQconnectStart(database), PQfinish);
    co_await rill::timeout(10s, connect(to.get()));
    auto const rows = co_await rill::timeout(10s, query(to.get(), text));
    int const count = PQntuples(rows.get());
    for (int i = 0; i < count; ++i) std::printf("%s\n", PQgetvalue(rows.get(), i, 0));
}

int main(int argc, char** argv) try {
    rill::run(ask(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "select version()"));
} catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
