// safe_name: a path or query parameter that may be used as the name of a file. CWE-22.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace rill::web {

/// The name of one file, not of a path: `req.path<web::safe_name>("name")`. Anything else that a
/// client sends is a 400.
///
/// It is not empty and has at most 255 bytes (what a file system takes), holds no slash, backslash
/// or control character, and does not begin with a dot, so it is neither `.` nor `..` nor hidden.
class safe_name {
public:
    /// The most bytes of a name.
    static constexpr std::size_t max_size = 255;

    /// Nothing where `text` is no such name.
    [[nodiscard]] static std::optional<safe_name> from(std::string_view text) {
        if (text.empty() || text.size() > max_size || text.front() == '.') return std::nullopt;
        for (char const c : text) {
            auto const byte = static_cast<unsigned char>(c);
            if (byte < 0x20 || byte == 0x7f || c == '/' || c == '\\') return std::nullopt;
        }
        return safe_name(std::string(text));
    }

    /// The name.
    [[nodiscard]] std::string const& text() const noexcept { return text_; }
    /// The file of that name in a folder.
    friend std::filesystem::path operator/(std::filesystem::path const& folder,
                                           safe_name const& name) {
        return folder / name.text_;
    }

private:
    explicit safe_name(std::string text) noexcept : text_(std::move(text)) {}
    std::string text_;
};

/// How parameters become one.
[[nodiscard]] inline std::optional<safe_name> from_text(std::string_view text,
                                                        std::type_identity<safe_name>) {
    return safe_name::from(text);
}

}  // namespace rill::web
