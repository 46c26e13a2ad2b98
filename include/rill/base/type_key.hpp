// type_key: which type something is, without RTTI.
#pragma once

#include "rill/base/export.hpp"

namespace rill::detail {

/// Its address stands for `T`: one for the whole program, also across shared libraries.
template <class T>
struct RILL_API type_place {
    /// Only its address matters.
    static constexpr char here = 0;
};

/// Stands for a type; compared with `==`.
using type_key = char const*;

/// The key of `T`.
template <class T>
inline constexpr type_key type_key_of = &type_place<T>::here;

}  // namespace rill::detail
