#pragma once

#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <locale>
#include <string>

namespace catena::test {

/// A locale that writes 1,5 and 1.000, for C and for streams, as long as this lives: de_DE's where
/// it is installed, otherwise one that is written here for glibc.
class DecimalComma {
public:
    explicit DecimalComma(const std::string& folder)
        : streams_(std::locale::global(std::locale(std::locale::classic(), new Comma))) {
        if (!std::setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
            write(std::filesystem::path(folder) / "comma");
            setenv("LOCPATH", folder.c_str(), 1);
            std::setlocale(LC_NUMERIC, "comma");
        }
    }
    ~DecimalComma() {
        std::locale::global(streams_);
        std::setlocale(LC_NUMERIC, "C");
        unsetenv("LOCPATH");
    }
    DecimalComma(const DecimalComma&) = delete;

    /// Whether C's functions follow it, which is not so where the libc has other files of locales.
    static bool is_on() {
        char text[16];
        std::snprintf(text, sizeof text, "%.1f", 1.5);
        return std::string(text) == "1,5";
    }

private:
    struct Comma : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };

    /// LC_NUMERIC as glibc maps it: a number for the kind of file, that of its fields, where each
    /// is, and the fields: the point, the separator, the groups, the first two as wide characters,
    /// and the encoding.
    static void write(const std::filesystem::path& folder) {
        std::filesystem::create_directories(folder);
        const uint32_t head[] = {0x20031114, 6, 32, 34, 36, 40, 44, 48}, wide[] = {',', '.'};
        std::ofstream file(folder / "LC_NUMERIC", std::ios::binary);
        file.write(reinterpret_cast<const char*>(head), sizeof head);
        file.write(",\0.\0\3\3\0\0", 8);
        file.write(reinterpret_cast<const char*>(wide), sizeof wide);
        file.write("UTF-8", 6);
    }

    std::locale streams_;
};

}  // namespace catena::test
