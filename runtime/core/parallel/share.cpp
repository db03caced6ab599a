#include "runtime/core/parallel/share.h"

#include <algorithm>

namespace catena {

std::vector<ThreadWork> share_work(std::span<const Work> all, double least_cost, int threads) {
    std::vector<ThreadWork> result(static_cast<size_t>(threads));
    const auto give = [&](ThreadWork& thread, int work, Share units) {
        thread.parts.push_back({work, units});
        thread.cost += all[size_t(work)].unit_cost * double(units.size());
    };
    const auto parts_of = [&](const Work& work) {
        const double most =
            std::min({double(threads), double(work.units), work.cost() / least_cost});
        return std::max(int64_t(most), int64_t(1));
    };
    for (int w = 0; w < int(all.size()); ++w)
        if (parts_of(all[size_t(w)]) == threads)
            for (int t = 0; t < threads; ++t)
                give(result[size_t(t)], w, share_of(all[size_t(w)].units, t, threads));
    for (int w = 0; w < int(all.size()); ++w)
        if (const int64_t parts = parts_of(all[size_t(w)]); parts < threads)
            for (int64_t part = 0; part < parts; ++part)
                give(*std::ranges::min_element(result, {}, &ThreadWork::cost), w,
                     share_of(all[size_t(w)].units, part, parts));
    return result;
}

}  // namespace catena
