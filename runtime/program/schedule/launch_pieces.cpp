#include "runtime/program/schedule/launch_pieces.h"

#include <algorithm>

namespace catena::program {

namespace {

// A second thread costs a few microseconds to wake.
constexpr double threading_nanoseconds = 30'000;
constexpr double piece_nanoseconds = 5'000;
constexpr double most_pieces = 256;

/// Units of a piece.
int64_t piece_units(const Work& kernel, double wanted) {
    return std::max<int64_t>(int64_t(wanted / kernel.unit_cost), 1);
}

}  // namespace

int threads_for(double nanoseconds, int most) {
    return nanoseconds < threading_nanoseconds
               ? 1
               : int(std::min(double(most), nanoseconds / piece_nanoseconds));
}

LaunchPieces divide_launch(std::span<const Work> kernels, int threads) {
    double total = 0;
    for (const Work& kernel : kernels) total += kernel.cost();
    // One thread alone has nobody who would take a part of its work.
    const double wanted =
        threads == 1 ? total + 1 : std::max(piece_nanoseconds, total / most_pieces);
    LaunchPieces result;
    for (const ThreadWork& thread : share_work(kernels, piece_nanoseconds, threads)) {
        for (const WorkPart& part : thread.parts) {
            const int64_t units = piece_units(kernels[size_t(part.work)], wanted);
            for (int64_t begin = part.units.begin; begin < part.units.end; begin += units)
                result.pieces.push_back(
                    {part.work, {begin, std::min(begin + units, part.units.end)}});
        }
        result.until.push_back(int64_t(result.pieces.size()));
    }
    return result;
}

}  // namespace catena::program
