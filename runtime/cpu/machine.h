#pragma once

#include <cstdint>

/// Properties of a machine by which kernels divide their work and choose methods. They are stated,
/// not measured when a program runs: methods and blocks decide in which order is summed, and the
/// bits of a result shall not depend on what a measurement found. The numbers are of one core of
/// the machines on which the kernels were tuned (AMD Zen 3 to 5, Intel Emerald Rapids), rounded;
/// where they are off by half, what they decide costs a few percent. How fast the machine at hand
/// is, which profiles say, is measured (runtime/cpu/speed/machine_speed.h).
namespace catena::machine {

/// Multiply-adds of float32 in registers, a second, and bytes that come from memory, a second,
/// while the other cores are as busy.
constexpr double products_a_second = 1.2e11, bytes_a_second = 2e10;

/// Floats that stay in a core's second-level cache beside what else is in it (0.6 MB), and in the
/// cache that all cores share (12 MB).
constexpr int64_t second_cache_floats = 160'000, shared_cache_floats = 3'000'000;

/// The least work for a thread: waking one takes about 5 us. In that time a core reads, changes and
/// stores so many floats, or does so many multiply-adds of loops that also load their operands.
constexpr int64_t elements_of_a_thread = 20'000, products_of_a_thread = 200'000;

/// Grains for parallel_for(): how many pieces of work, of so many elements or multiply-adds each,
/// are worth a thread.
constexpr int64_t grain_of_elements(int64_t elements) {
    return 1 + elements_of_a_thread / (elements < 1 ? 1 : elements);
}
constexpr int64_t grain_of_products(int64_t products) {
    return 1 + products_of_a_thread / (products < 1 ? 1 : products);
}

}  // namespace catena::machine
