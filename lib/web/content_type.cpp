// The table of content types.
// IANA registry of media types; text/javascript by RFC 9239, font/ by RFC 8081.
#include "rill/web/content_type.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rill::web {

namespace {

struct row {
    std::string_view extension;
    http::literal type;
};

// Sorted by extension. JSON and XML say their encoding themselves and have no charset.
constexpr std::array table{
    row{"7z", http::literal("application/x-7z-compressed")},
    row{"aac", http::literal("audio/aac")},
    row{"apk", http::literal("application/vnd.android.package-archive")},
    row{"apng", http::literal("image/apng")},
    row{"appcache", http::literal("text/cache-manifest; charset=utf-8")},
    row{"asc", http::literal("text/plain; charset=utf-8")},
    row{"atom", http::literal("application/atom+xml")},
    row{"avi", http::literal("video/x-msvideo")},
    row{"avif", http::literal("image/avif")},
    row{"bin", http::literal("application/octet-stream")},
    row{"bmp", http::literal("image/bmp")},
    row{"bz2", http::literal("application/x-bzip2")},
    row{"c", http::literal("text/x-c; charset=utf-8")},
    row{"cbor", http::literal("application/cbor")},
    row{"cc", http::literal("text/x-c; charset=utf-8")},
    row{"cjs", http::literal("text/javascript; charset=utf-8")},
    row{"conf", http::literal("text/plain; charset=utf-8")},
    row{"cpp", http::literal("text/x-c; charset=utf-8")},
    row{"crt", http::literal("application/x-x509-ca-cert")},
    row{"css", http::literal("text/css; charset=utf-8")},
    row{"csv", http::literal("text/csv; charset=utf-8")},
    row{"cxx", http::literal("text/x-c; charset=utf-8")},
    row{"dart", http::literal("text/plain; charset=utf-8")},
    row{"deb", http::literal("application/vnd.debian.binary-package")},
    row{"diff", http::literal("text/x-diff; charset=utf-8")},
    row{"dmg", http::literal("application/x-apple-diskimage")},
    row{"doc", http::literal("application/msword")},
    row{"docx",
        http::literal("application/vnd.openxmlformats-officedocument.wordprocessingml.document")},
    row{"dtd", http::literal("application/xml-dtd")},
    row{"eot", http::literal("application/vnd.ms-fontobject")},
    row{"epub", http::literal("application/epub+zip")},
    row{"exe", http::literal("application/vnd.microsoft.portable-executable")},
    row{"flac", http::literal("audio/flac")},
    row{"flv", http::literal("video/x-flv")},
    row{"geojson", http::literal("application/geo+json")},
    row{"gif", http::literal("image/gif")},
    row{"glb", http::literal("model/gltf-binary")},
    row{"gltf", http::literal("model/gltf+json")},
    row{"go", http::literal("text/plain; charset=utf-8")},
    row{"gpx", http::literal("application/gpx+xml")},
    row{"gz", http::literal("application/gzip")},
    row{"h", http::literal("text/x-c; charset=utf-8")},
    row{"h264", http::literal("video/h264")},
    row{"hpp", http::literal("text/x-c; charset=utf-8")},
    row{"hs", http::literal("text/plain; charset=utf-8")},
    row{"htm", http::literal("text/html; charset=utf-8")},
    row{"html", http::literal("text/html; charset=utf-8")},
    row{"ico", http::literal("image/x-icon")},
    row{"ics", http::literal("text/calendar; charset=utf-8")},
    row{"ini", http::literal("text/plain; charset=utf-8")},
    row{"iso", http::literal("application/x-iso9660-image")},
    row{"jar", http::literal("application/java-archive")},
    row{"java", http::literal("text/x-java-source; charset=utf-8")},
    row{"jpeg", http::literal("image/jpeg")},
    row{"jpg", http::literal("image/jpeg")},
    row{"js", http::literal("text/javascript; charset=utf-8")},
    row{"json", http::literal("application/json")},
    row{"jsonld", http::literal("application/ld+json")},
    row{"jsx", http::literal("text/plain; charset=utf-8")},
    row{"jxl", http::literal("image/jxl")},
    row{"kml", http::literal("application/vnd.google-earth.kml+xml")},
    row{"kt", http::literal("text/plain; charset=utf-8")},
    row{"less", http::literal("text/plain; charset=utf-8")},
    row{"log", http::literal("text/plain; charset=utf-8")},
    row{"lua", http::literal("text/plain; charset=utf-8")},
    row{"m3u8", http::literal("application/vnd.apple.mpegurl")},
    row{"m4a", http::literal("audio/mp4")},
    row{"m4v", http::literal("video/mp4")},
    row{"map", http::literal("application/json")},
    row{"markdown", http::literal("text/markdown; charset=utf-8")},
    row{"md", http::literal("text/markdown; charset=utf-8")},
    row{"mid", http::literal("audio/midi")},
    row{"midi", http::literal("audio/midi")},
    row{"mjs", http::literal("text/javascript; charset=utf-8")},
    row{"mkv", http::literal("video/x-matroska")},
    row{"mov", http::literal("video/quicktime")},
    row{"mp3", http::literal("audio/mpeg")},
    row{"mp4", http::literal("video/mp4")},
    row{"mpd", http::literal("application/dash+xml")},
    row{"mpeg", http::literal("video/mpeg")},
    row{"mpg", http::literal("video/mpeg")},
    row{"msi", http::literal("application/octet-stream")},
    row{"odp", http::literal("application/vnd.oasis.opendocument.presentation")},
    row{"ods", http::literal("application/vnd.oasis.opendocument.spreadsheet")},
    row{"odt", http::literal("application/vnd.oasis.opendocument.text")},
    row{"oga", http::literal("audio/ogg")},
    row{"ogg", http::literal("audio/ogg")},
    row{"ogv", http::literal("video/ogg")},
    row{"opus", http::literal("audio/ogg")},
    row{"otf", http::literal("font/otf")},
    row{"patch", http::literal("text/x-diff; charset=utf-8")},
    row{"pdf", http::literal("application/pdf")},
    row{"pem", http::literal("application/x-pem-file")},
    row{"pgp", http::literal("application/pgp-encrypted")},
    row{"php", http::literal("text/plain; charset=utf-8")},
    row{"pl", http::literal("text/plain; charset=utf-8")},
    row{"png", http::literal("image/png")},
    row{"ppt", http::literal("application/vnd.ms-powerpoint")},
    row{"pptx",
        http::literal("application/vnd.openxmlformats-officedocument.presentationml.presentation")},
    row{"proto", http::literal("text/plain; charset=utf-8")},
    row{"ps", http::literal("application/postscript")},
    row{"py", http::literal("text/x-python; charset=utf-8")},
    row{"rar", http::literal("application/vnd.rar")},
    row{"rb", http::literal("text/plain; charset=utf-8")},
    row{"rpm", http::literal("application/x-rpm")},
    row{"rs", http::literal("text/plain; charset=utf-8")},
    row{"rss", http::literal("application/rss+xml")},
    row{"rst", http::literal("text/x-rst; charset=utf-8")},
    row{"rtf", http::literal("application/rtf")},
    row{"scss", http::literal("text/plain; charset=utf-8")},
    row{"sh", http::literal("text/x-shellscript; charset=utf-8")},
    row{"so", http::literal("application/octet-stream")},
    row{"sql", http::literal("application/sql")},
    row{"srt", http::literal("text/plain; charset=utf-8")},
    row{"svg", http::literal("image/svg+xml")},
    row{"svgz", http::literal("image/svg+xml")},
    row{"swift", http::literal("text/plain; charset=utf-8")},
    row{"tar", http::literal("application/x-tar")},
    row{"tex", http::literal("text/x-tex; charset=utf-8")},
    row{"tgz", http::literal("application/gzip")},
    row{"tif", http::literal("image/tiff")},
    row{"tiff", http::literal("image/tiff")},
    row{"toml", http::literal("application/toml")},
    row{"torrent", http::literal("application/x-bittorrent")},
    row{"ts", http::literal("video/mp2t")},
    row{"tsx", http::literal("text/plain; charset=utf-8")},
    row{"ttc", http::literal("font/collection")},
    row{"ttf", http::literal("font/ttf")},
    row{"txt", http::literal("text/plain; charset=utf-8")},
    row{"vcf", http::literal("text/vcard; charset=utf-8")},
    row{"vtt", http::literal("text/vtt; charset=utf-8")},
    row{"wasm", http::literal("application/wasm")},
    row{"wav", http::literal("audio/wav")},
    row{"weba", http::literal("audio/webm")},
    row{"webm", http::literal("video/webm")},
    row{"webmanifest", http::literal("application/manifest+json")},
    row{"webp", http::literal("image/webp")},
    row{"woff", http::literal("font/woff")},
    row{"woff2", http::literal("font/woff2")},
    row{"xhtml", http::literal("application/xhtml+xml")},
    row{"xls", http::literal("application/vnd.ms-excel")},
    row{"xlsx", http::literal("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")},
    row{"xml", http::literal("application/xml")},
    row{"xsl", http::literal("application/xslt+xml")},
    row{"xslt", http::literal("application/xslt+xml")},
    row{"xz", http::literal("application/x-xz")},
    row{"yaml", http::literal("application/yaml")},
    row{"yml", http::literal("application/yaml")},
    row{"zip", http::literal("application/zip")},
    row{"zst", http::literal("application/zstd")},
};
static_assert(std::ranges::is_sorted(table, {}, &row::extension));
static_assert(std::ranges::adjacent_find(table, {}, &row::extension) == table.end());

constexpr std::size_t longest =
    std::ranges::max(table, {}, [](row const& r) { return r.extension.size(); }).extension.size();

}  // namespace

http::literal content_type(std::string_view file_name) noexcept {
    std::size_t const slash = file_name.rfind('/');
    if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
    std::size_t const dot = file_name.rfind('.');
    // ".profile" is a name, not an extension.
    if (dot == std::string_view::npos || dot == 0) return http::content_types::binary;
    std::string_view const extension = file_name.substr(dot + 1);
    if (extension.size() > longest) return http::content_types::binary;
    char lower[longest];
    std::ranges::transform(extension, lower, [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    std::string_view const wanted(lower, extension.size());
    auto const* const found = std::ranges::lower_bound(table, wanted, {}, &row::extension);
    bool const is_known = found != table.end() && found->extension == wanted;
    return is_known ? found->type : http::content_types::binary;
}

}  // namespace rill::web
