// What is asked and how an answer is checked: every byte of every answer is compared.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

#include "options.hpp"

namespace load {

class workload {
public:
    workload() = default;
    workload(workload const&) = delete;
    workload& operator=(workload const&) = delete;
    virtual ~workload() = default;

    /// How many answers one `next` asks for.
    [[nodiscard]] virtual std::size_t batch() const = 0;

    /// The bytes to send next on this connection. They live as long as the workload.
    [[nodiscard]] virtual std::span<char const> next(std::size_t connection) = 0;

    /// Checks bytes that came back. Returns the answers that they complete; throws `failure` for
    /// a byte that is wrong and for bytes that nothing asked for.
    [[nodiscard]] virtual std::size_t received(std::size_t connection,
                                               std::span<char const> data) = 0;

    /// Whether the last answer of this connection said that the server is too busy (503).
    [[nodiscard]] virtual bool refused(std::size_t /*connection*/) const { return false; }
};

[[nodiscard]] std::unique_ptr<workload> make_workload(options const& chosen);

}  // namespace load
