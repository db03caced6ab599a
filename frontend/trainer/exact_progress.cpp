#include "frontend/trainer/exact_progress.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/dataset/iterator/iterator.h"
#include "frontend/trainer/updater.h"

namespace catena {
namespace {

using Wide = __int128;

constexpr double most = 0x1p62;

/// The number itself, as far as 62 bits behind the point have it.
Fraction binary_fraction(double number) {
    int64_t denominator = 1;
    while (number != std::floor(number) && denominator < int64_t(1) << 61 && number < most / 2) {
        number *= 2;
        denominator *= 2;
    }
    return {std::max<int64_t>(int64_t(std::min(number, most)), 1), denominator};
}

}  // namespace

Fraction fraction_of(double number) {
    if (number < 0) {
        const Fraction positive = fraction_of(-number);
        return {-positive.numerator, positive.denominator};
    }
    if (number == std::floor(number) || !(number < most))
        return {int64_t(std::min(number, most)), 1};
    // Its continued fraction: each part gives a better one, with larger numbers.
    constexpr long double limit = 1e9;
    Fraction before{0, 1}, now{1, 0};
    for (long double rest = number;;) {
        const long double part = std::floor(rest);
        const long double numerator =
                              part * (long double)now.numerator + (long double)before.numerator,
                          denominator =
                              part * (long double)now.denominator + (long double)before.denominator;
        if (numerator > limit * limit / 2 || denominator > limit) return binary_fraction(number);
        before = now;
        now = {int64_t(numerator), int64_t(denominator)};
        if (double(numerator / denominator) == number) return now;
        if (rest == part) return binary_fraction(number);
        rest = 1 / (rest - part);
    }
}

int64_t times_in(const Fraction& length, const Fraction& period) {
    const Wide times =
        Wide(length.numerator) * period.denominator / (Wide(length.denominator) * period.numerator);
    return int64_t(std::min<Wide>(times, std::numeric_limits<int64_t>::max()));
}

bool operator<(const Fraction& a, const Fraction& b) {
    return Wide(a.numerator) * b.denominator < Wide(b.numerator) * a.denominator;
}

Fraction epochs_of(const Updater& updater, double epoch_detail) {
    const int64_t examples = updater.get_iterator().examples_per_epoch();
    if (examples == 0) return fraction_of(epoch_detail);
    return {std::llround(epoch_detail * double(examples)), examples};
}

Fraction progress_of(const Updater& updater, const std::string& unit) {
    if (unit == "iteration") return {updater.iteration(), 1};
    return epochs_of(updater, updater.epoch_detail());
}

}  // namespace catena
