// The category of rill's own codes, the text of `error`, and the end of a failed assertion.
#include "rill/base/error.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "rill/base/assert.hpp"

namespace rill {

namespace {

class category final : public std::error_category {
public:
    char const* name() const noexcept override { return "rill"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
            case errc::cancelled:
                return "cancelled";
            case errc::timed_out:
                return "deadline passed";
            case errc::end_of_stream:
                return "the peer ended the stream too early";
            case errc::limit_exceeded:
                return "a stated limit would have been passed";
            case errc::write_broken:
                return "an earlier write stopped part way";
            case errc::closed:
                return "closed on this side";
            case errc::bad_address:
                return "not a usable address";
            case errc::bad_url:
                return "not a URL";
            case errc::protocol:
                return "the peer broke the protocol";
            case errc::unsupported:
                return "not supported here";
            case errc::no_such_name:
                return "no such name";
            case errc::names_failed:
                return "the name servers gave no answer";
        }
        return "unknown code";
    }

    std::error_condition default_error_condition(int value) const noexcept override {
        switch (static_cast<errc>(value)) {
            case errc::cancelled:
                return std::errc::operation_canceled;
            case errc::timed_out:
                return std::errc::timed_out;
            case errc::unsupported:
                return std::errc::operation_not_supported;
            default:
                return {value, *this};
        }
    }
};

}  // namespace

std::error_category const& rill_category() noexcept {
    static category const instance;
    return instance;
}

error::error(std::error_code code, std::string_view operation, std::string_view subject,
             std::string_view advice)
    : code_(code), operation_(operation), subject_(subject) {
    text_ = operation_;
    if (!subject_.empty()) text_ += (text_.empty() ? "" : " ") + subject_;
    if (!text_.empty()) text_ += ": ";
    text_ += code_.message();
    if (!advice.empty()) text_ += fmt::format(" ({})", advice);
}

error::~error() = default;

namespace detail {

void assertion_failed(char const* condition, char const* advice,
                      std::source_location where) noexcept {
    std::fprintf(stderr, "rill: %s:%u: broken promise: %s\n      in %s\n      %s\n",
                 where.file_name(), where.line(), condition, where.function_name(), advice);
    std::abort();
}

}  // namespace detail

}  // namespace rill
