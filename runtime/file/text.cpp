#include "runtime/file/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>

#include "runtime/core/array/device.h"
#include "runtime/core/system/error.h"
#include "runtime/core/system/read_number.h"
#include "runtime/file/file.h"
#include "runtime/file/npy.h"
#include "runtime/file/write_file.h"

namespace catena {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
std::string_view trimmed(std::string_view s) {
    while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
    return s;
}

/// Parts between separators, trimmed; between blanks, of which many count as one, if the separator
/// is empty or a blank.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    const bool by_blanks = trimmed(separator).empty();
    if (by_blanks) {
        for (size_t begin = 0; begin < text.size();) {
            size_t end = begin;
            while (end < text.size() && !is_blank(text[end])) ++end;
            if (end > begin) parts.push_back(text.substr(begin, end - begin));
            begin = end + 1;
        }
        return parts;
    }
    separator = trimmed(separator);
    while (true) {
        const size_t end = text.find(separator);
        parts.push_back(trimmed(text.substr(0, end)));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + separator.size());
    }
}

/// False unless all of `text` is one number that T holds.
template <class T>
bool parse(std::string_view text, T& value) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    if constexpr (std::is_same_v<T, bool>) {
        double number = 0;
        if (text == "True" || text == "true" || text == "False" || text == "false")
            return value = text[0] == 'T' || text[0] == 't', true;
        return parse(text, number) && (value = number != 0, true);
    } else if constexpr (std::is_integral_v<T>) {
        // Also 3.0 and 1e3, as long as they are whole.
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc() && stop == end) return true;
        double number = 0;
        if (error == std::errc::result_out_of_range || !parse(text, number) ||
            number != std::floor(number))
            return false;
        if (!(number >= double(std::numeric_limits<T>::min()) &&
              number < std::ldexp(1.0, std::numeric_limits<T>::digits)))
            return false;
        value = T(number);
        return true;
    } else if constexpr (std::is_floating_point_v<T>) {
        const std::optional<T> number = read_number<T>(text);
        value = number.value_or(value);
        return bool(number);
    } else {
        float number = 0;
        return parse(text, number) && (value = T(number), true);
    }
}

/// Numbers that are collected as elements of a dtype.
class Elements {
public:
    explicit Elements(Dtype dtype) : dtype_(dtype) {}
    bool add(std::string_view text) {
        return visit_dtype(dtype_, [&](auto zero) {
            decltype(zero) value{};
            if (!parse(text, value)) return false;
            const size_t at = bytes_.size();
            bytes_.resize(at + sizeof(value));
            std::memcpy(bytes_.data() + at, &value, sizeof(value));
            return true;
        });
    }
    int64_t count() const { return int64_t(bytes_.size() / size_of(dtype_)); }
    Array array(const Shape& shape) const {
        const Array made = Array::empty({dtype_, shape}, cpu_device());
        if (!bytes_.empty()) std::memcpy(made.to_fill(), bytes_.data(), bytes_.size());
        return made.to(current_device());
    }

private:
    Dtype dtype_;
    std::vector<std::byte> bytes_;
};

/// The wanted parts of a line.
std::vector<std::string_view> columns_of(std::vector<std::string_view> parts,
                                         const LoadText& options, const std::string& path,
                                         int64_t line) {
    const auto& columns = options.columns.empty() ? options.usecols : options.columns;
    if (columns.empty()) return parts;
    std::vector<std::string_view> wanted;
    for (int64_t column : columns) {
        const int64_t at = column < 0 ? column + int64_t(parts.size()) : column;
        if (at < 0 || at >= int64_t(parts.size()))
            fail<FileError>("{}: line {} has {} columns, column {} is not there", path, line,
                            parts.size(), column);
        wanted.push_back(parts[size_t(at)]);
    }
    return wanted;
}

void append(std::string& to, double value, Dtype dtype, const std::optional<int>& digits) {
    if (digits)
        fmt::format_to(std::back_inserter(to), "{:.{}f}", value, *digits);
    else if (dtype == Dtype::float64)
        fmt::format_to(std::back_inserter(to), "{}", value);
    else
        fmt::format_to(std::back_inserter(to), "{}", float(value));
}

}  // namespace

Array loadtxt(const std::string& path, const LoadText& options) {
    const std::string text = FileReader(path).read_text();
    Elements elements(options.dtype);
    int64_t rows = 0, width = -1, line = 0;
    for (std::string_view rest = text; !rest.empty();) {
        const size_t end = rest.find('\n');
        std::string_view row = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (++line <= std::max(options.skip_rows, options.skiprows)) continue;
        if (!options.comments.empty()) row = row.substr(0, row.find(options.comments));
        if (trimmed(row).empty()) continue;
        const auto parts = columns_of(parts_of(row, options.delimiter), options, path, line);
        if (width >= 0 && int64_t(parts.size()) != width)
            fail<FileError>("{}: line {} has {} columns, those before have {}", path, line,
                            parts.size(), width);
        width = int64_t(parts.size());
        for (std::string_view part : parts)
            if (!elements.add(part))
                fail<FileError>("{}: line {}: '{}' is no {}", path, line, part,
                                name_of(options.dtype));
        ++rows;
    }
    if (rows == 0) return elements.array({0});
    const Array all = elements.array({rows, width});
    const Array turned =
        options.unpack ? all.view({width, rows}, {1, width}, 0).as_contiguous() : all;
    Shape shape;
    for (int64_t size : turned.shape())
        if (size != 1) shape.push_back(size);
    return turned.view(shape, contiguous_strides(shape), 0);
}

void savetxt(const std::string& path, const Array& array, const SaveText& options) {
    if (array.rank() > 2)
        fail<ShapeError>(
            "savetxt: an array {} has {} axes; numbers, vectors and matrices have lines",
            to_string(array.shape()), array.rank());
    std::string text;
    for (std::string_view header = options.header; !header.empty();) {
        const size_t end = header.find('\n');
        text += options.comments + std::string(header.substr(0, end)) + '\n';
        header.remove_prefix(end == std::string_view::npos ? header.size() : end + 1);
    }
    const int64_t width = array.rank() == 2 ? array.dim(1) : 1;
    const auto write = [&](const auto& values, auto&& one) {
        for (size_t i = 0; i < values.size(); ++i) {
            one(values[i]);
            text += int64_t(i + 1) % width == 0 ? "\n" : options.delimiter;
        }
    };
    if (is_float(array.dtype()))
        write(array.to_vector<double>(),
              [&](double value) { append(text, value, array.dtype(), options.digits); });
    else
        write(array.to_vector<int64_t>(), [&](int64_t value) { text += std::to_string(value); });
    write_file(path, text);
}

Array frombuffer(std::span<const std::byte> bytes, Dtype dtype, int64_t count, int64_t offset) {
    const int64_t size = int64_t(size_of(dtype)), given = int64_t(bytes.size()) - offset;
    if (offset < 0 || given < 0)
        fail<ValueError>("frombuffer: offset {} is outside of the {} bytes", offset, bytes.size());
    if (count < 0 && given % size != 0)
        fail<ValueError>("frombuffer: {} bytes are no whole number of {} elements, which take {}",
                         given, name_of(dtype), size);
    const int64_t taken = count < 0 ? given / size : count;
    if (taken > given / size)
        fail<ValueError>("frombuffer: {} elements of {} need {} bytes each, there are {} bytes",
                         taken, name_of(dtype), size, given);
    const Array made = Array::empty({dtype, Shape{taken}}, cpu_device());
    if (taken > 0) std::memcpy(made.to_fill(), bytes.data() + offset, size_t(taken * size));
    return made.to(current_device());
}

Array fromstring(std::string_view text, Dtype dtype, std::string_view separator) {
    if (separator.empty()) return frombuffer(std::as_bytes(std::span(text)), dtype);
    Elements elements(dtype);
    if (trimmed(text).empty()) return elements.array({0});
    for (std::string_view part : parts_of(text, separator))
        if (!elements.add(part))
            fail<ValueError>("fromstring: '{}' is no {}", part, name_of(dtype));
    return elements.array({elements.count()});
}

Array fromfile(const std::string& path, Dtype dtype, int64_t count, std::string_view separator) {
    const FileReader file(path);
    const std::string bytes = separator.empty() ? file.read_all() : file.read_text();
    try {
        if (separator.empty()) return frombuffer(std::as_bytes(std::span(bytes)), dtype, count);
        const Array all = fromstring(bytes, dtype, separator);
        if (count < 0) return all;
        if (count > all.size())
            fail<ValueError>("fromfile: {} numbers were asked for, there are {}", count,
                             all.size());
        return all.view({count}, {1}, 0);
    } catch (const ValueError& error) {
        fail<FileError>("{}: {}", path, error.what());
    }
}

void tofile(const std::string& path, const Array& array) {
    const Array dense = array.to(cpu_device()).as_contiguous();
    AtomicFile file(path);
    if (dense.size() > 0)
        file.write(dense.elements(), size_t(dense.size()) * size_of(dense.dtype()));
    file.commit();
}

void save(const std::string& path, const Array& array) { save_npy(path, array); }
Array load(const std::string& path) { return load_npy(path); }

}  // namespace catena
