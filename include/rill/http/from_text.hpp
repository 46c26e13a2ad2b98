// from_text: how a path or query parameter becomes a value.
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace rill::http {

/// The whole of `text` as a number; nothing when it is none, or out of range. No white space, no
/// '+', decimal only.
template <class T>
    requires((std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>) ||
             std::floating_point<T>)
[[nodiscard]] std::optional<T> from_text(std::string_view text, std::type_identity<T>) noexcept {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// `true` and `1`, or `false` and `0`.
[[nodiscard]] inline std::optional<bool> from_text(std::string_view text,
                                                   std::type_identity<bool>) noexcept {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    return std::nullopt;
}

/// The text itself.
[[nodiscard]] inline std::optional<std::string_view> from_text(
    std::string_view text, std::type_identity<std::string_view>) noexcept {
    return text;
}

/// A copy of the text.
[[nodiscard]] inline std::optional<std::string> from_text(std::string_view text,
                                                          std::type_identity<std::string>) {
    return std::string(text);
}

/// Types that parameters convert to. A type of your own joins with a function beside it:
/// `std::optional<color> from_text(std::string_view text, std::type_identity<color>)`, which
/// returns nothing where the client's text is wrong; the client then gets a 400.
template <class T>
concept readable_from_text = requires(std::string_view text) {
    { from_text(text, std::type_identity<T>{}) } -> std::convertible_to<std::optional<T>>;
};

}  // namespace rill::http
