// Runs a fuzz target over the files of its corpus, without libFuzzer: the entry of the corpus
// tests.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argument_count, char** arguments) {
    std::size_t replayed = 0;
    for (int i = 1; i < argument_count; ++i) {
        for (auto const& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            std::vector<char> const text{std::istreambuf_iterator<char>(file), {}};
            // A copy of the exact size, so that a sanitizer sees a read past the end.
            std::vector<std::uint8_t> const input(text.begin(), text.end());
            LLVMFuzzerTestOneInput(input.data(), input.size());
            ++replayed;
        }
    }
    // An empty corpus proves nothing: a target comes with inputs.
    std::printf("%zu passed, %d failed\n", replayed, replayed == 0 ? 1 : 0);
    return replayed == 0 ? 1 : 0;
}
