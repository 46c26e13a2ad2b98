// The conditions of a request against the validators of an answer. RFC 9110 sections 13.1 and 13.2.
#pragma once

#include <chrono>

#include "rill/codec/preconditions.hpp"
#include "rill/http/request.hpp"
#include "rill/http/response.hpp"

namespace rill::web {

// What ETag and Last-Modified say, as views of the fields.
codec::validators validators_of(http::headers const& fields, std::chrono::sys_seconds now) noexcept;

// What the client makes its request depend on, held against `current`.
codec::preconditions conditions_of(http1::field_table const& fields,
                                   codec::validators const& current,
                                   std::chrono::sys_seconds now) noexcept;

// True where it depends on anything.
bool has_conditions(http1::field_table const& fields) noexcept;

// The verdict over a request to read.
codec::preconditions::verdict judge(http::request const& req, codec::validators const& current,
                                    std::chrono::sys_seconds now) noexcept;

// Makes a 304 of an answer: its fields stay, but those that describe content.
void make_not_modified(http::response& answer);

}  // namespace rill::web
