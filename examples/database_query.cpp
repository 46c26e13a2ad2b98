// Asks PostgreSQL by libpq's non-blocking interface; rill waits for its socket.
// Run: ./database_query "dbname=postgres" "select generate_series(1, 3)"
#include <libpq-fe.h>
#include <rill/coro.hpp>
#include <rill/rt.hpp>

#include <cstdio>
#include <memory>
#include <stdexcept>

using namespace std::chrono_literals;
struct closer {
    void operator()(PGconn* what) const { PQfinish(what); }
    void operator()(PGresult* what) const { PQclear(what); }
};
using connection = std::unique_ptr<PGconn, closer>;
using answer = std::unique_ptr<PGresult, closer>;

rill::task<> connect(PGconn* to) {
    auto state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED) throw std::runtime_error(PQerrorMessage(to));
        bool const read = state == PGRES_POLLING_READING;
        if (read) co_await rill::readable(PQsocket(to));
        if (!read) co_await rill::writable(PQsocket(to));
        state = PQconnectPoll(to);  // may close the socket and open another: ask for it each time
    }
}

rill::task<answer> query(PGconn* of, char const* text) {
    bool sent = PQsetnonblocking(of, 1) == 0 && PQsendQuery(of, text) == 1;
    while (sent && PQflush(of) == 1) {
        co_await rill::when_any(rill::writable(PQsocket(of)), rill::readable(PQsocket(of)));
        sent = PQconsumeInput(of) == 1;  // the server may have to be heard before it listens
    }
    answer last;
    while (sent) {
        while (sent && PQisBusy(of) == 1) {
            co_await rill::readable(PQsocket(of));
            sent = PQconsumeInput(of) == 1;
        }
        answer next(PQgetResult(of));
        if (next == nullptr) break;
        last = std::move(next);
    }
    if (!sent || PQresultStatus(last.get()) != PGRES_TUPLES_OK)
        throw std::runtime_error(PQerrorMessage(of));
    co_return last;
}

rill::task<int> ask(char const* database, char const* text) {
    connection const to(PQconnectStart(database));
    co_await rill::timeout(10s, connect(to.get()));
    auto const rows = co_await rill::timeout(10s, query(to.get(), text));
    int const count = PQntuples(rows.get());
    for (int i = 0; i < count; ++i) std::printf("%s\n", PQgetvalue(rows.get(), i, 0));
    co_return 0;
}

int main(int argc, char** argv) try {
    return rill::run(ask(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "select version()"));
} catch (std::exception const& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
