#pragma once

#include <cstdint>
#include <string>

namespace catena {

class Updater;

/// An exact number, for counts of iterations and epochs: the double .1 is a little more than 1/10.
struct Fraction {
    /// The number is the one divided by the other, which is positive.
    int64_t numerator = 0, denominator = 1;
};

/// The simplest fraction that rounds to this number: 1/10 for .1.
Fraction fraction_of(double number);
/// How many times `period` fits into `length`; both are positive, or the length is 0.
int64_t times_in(const Fraction& length, const Fraction& period);
/// Whether a is less than b.
bool operator<(const Fraction& a, const Fraction& b);

/// The position of a training, in epochs or iterations.
Fraction progress_of(const Updater& updater, const std::string& unit);
/// A number of epochs, which epoch_detail() has rounded, as the exact number of examples that it
/// stands for.
Fraction epochs_of(const Updater& updater, double epoch_detail);

}  // namespace catena
