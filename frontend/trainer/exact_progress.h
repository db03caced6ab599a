#pragma once

#include <cstdint>
#include <string>

namespace catena {

class Updater;

/// An exact number, for counts of iterations and epochs: in binary .1 is a little more than 1/10.
struct Fraction {
    int64_t numerator = 0, denominator = 1;
};

/// The simplest fraction that is this number when it is rounded: of .1 it is 1/10.
Fraction fraction_of(double number);
/// How often `period` fits into `length`; both are positive, or the length is 0.
int64_t times_in(const Fraction& length, const Fraction& period);
bool operator<(const Fraction& a, const Fraction& b);

/// Where a training is, in epochs or iterations.
Fraction progress_of(const Updater& updater, const std::string& unit);
/// A number of epochs, as epoch_detail() rounds it, as the number of examples that it was.
Fraction epochs_of(const Updater& updater, double epoch_detail);

}  // namespace catena
