#include "runtime/core/system/read_number.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace catena {
namespace {

/// The power of ten in front of the first digit that is not 0, of a number as from_chars takes it.
int64_t magnitude_of(std::string_view number) {
    const size_t e = number.find_first_of("eE");
    const std::string_view digits = number.substr(0, e);
    const size_t point = std::min(digits.find('.'), digits.size()),
                 first = std::min(digits.find_first_of("123456789"), digits.size());
    int64_t power = 0;
    if (e != number.npos) {
        std::string_view text = number.substr(e + 1);
        if (text.starts_with('+')) text.remove_prefix(1);
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), power);
        if (error == std::errc::result_out_of_range)
            power = text.starts_with('-') ? std::numeric_limits<int32_t>::min()
                                          : std::numeric_limits<int32_t>::max();
    }
    return power + int64_t(point) - int64_t(first);
}

}  // namespace

template <class T>
std::optional<T> read_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+')
        text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    T value{};
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (stop != end || text.empty()) return std::nullopt;
    if (error == std::errc()) return value;
    if (error != std::errc::result_out_of_range) return std::nullopt;
    const T beyond = magnitude_of(text) > 0 ? std::numeric_limits<T>::infinity() : T(0);
    return text[0] == '-' ? -beyond : beyond;
}

template std::optional<float> read_number(std::string_view text);
template std::optional<double> read_number(std::string_view text);

}  // namespace catena
