#pragma once

// The operators between Arrays, and Arrays and numbers, each with the name of its function:
// array_operators.h declares them, array_operators.cpp defines them.

#define CATENA_EACH_ARRAY_OPERATOR(DO) \
    DO(+, add_arrays)                  \
    DO(-, subtract_arrays)             \
    DO(*, multiply_arrays)             \
    DO(/, divide_arrays)               \
    DO(%, remainder_of_arrays)         \
    DO(&, and_of_arrays)               \
    DO(|, or_of_arrays)                \
    DO(^, xor_of_arrays)               \
    DO(<<, left_shift_of_arrays)       \
    DO(>>, right_shift_of_arrays)      \
    DO(<, less_of_arrays)              \
    DO(<=, less_equal_of_arrays)       \
    DO(>, greater_of_arrays)           \
    DO(>=, greater_equal_of_arrays)

/// Operators between an Array and a number alone: between two Arrays == and != ask whether they are
/// the same object.
#define CATENA_EACH_NUMBER_OPERATOR(DO) \
    DO(==, equal_of_arrays)             \
    DO(!=, not_equal_of_arrays)

/// In-place operators without their `=`.
#define CATENA_EACH_IN_PLACE_OPERATOR(DO) \
    DO(+, add_in_place)                   \
    DO(-, subtract_in_place)              \
    DO(*, multiply_in_place)              \
    DO(/, divide_in_place)                \
    DO(%, remainder_in_place)             \
    DO(&, and_in_place)                   \
    DO(|, or_in_place)                    \
    DO(^, xor_in_place)                   \
    DO(<<, left_shift_in_place)           \
    DO(>>, right_shift_in_place)
