#include <algorithm>

#include "tests/ops/op_table.h"

namespace catena::testing::evaluation_rows {

namespace {

Truth share_of_hits(double ignored) {
    return one([=](const References& in) {
        const Reference &y = in[0], &t = in[1];
        double hits = 0, count = 0;
        for_each_index(t.shape, [&](const Dims& i) {
            if (t[i] == ignored) return;
            ++count;
            int64_t best = 0;
            const auto score = [&](int64_t c) {
                Dims at = i;
                at.insert(1, c);
                return y[at];
            };
            for (int64_t c = 1; c < y.dim(1); ++c)
                if (score(c) > score(best)) best = c;
            hits += best == int64_t(t[i]);
        });
        return Reference(Shape{}, hits / std::max(count, 1.0));
    });
}

Input labels(const Shape& shape, std::vector<double> values) {
    return {.shape = shape, .dtype = Dtype::int32, .values = std::move(values)};
}

const int rows = add_rows({
    {.function = "accuracy",
     .inputs = {{.shape = {6, 3}}, labels({6}, {0, 1, 2, 0, 1, 2})},
     .truth = share_of_hits(-99),
     .gradient = false,
     .rejects = {{.inputs = {{.shape = {6, 3}}, labels({5}, {0, 1, 2, 0, 1})},
                  .message = "accuracy: t should have one label for every position of y, y is "
                             "[6,3] and t is [5]"}}},
    {.function = "accuracy",
     .note = "ignores",
     .set = {{"ignore_label", "1"}},
     .inputs = {{.shape = {2, 3, 4}}, labels({2, 4}, {0, 1, 2, 0, 1, 2, 2, 1})},
     .truth = share_of_hits(1),
     .gradient = false},
    {.function = "accuracy",
     .note = "nothing_counts",
     .set = {{"ignore_label", "0"}},
     .inputs = {{.shape = {2, 3}}, labels({2}, {0, 0})},
     .truth = share_of_hits(0),
     .gradient = false},
    {.function = "binary_accuracy",
     .inputs = {{.shape = {2, 3}}, labels({2, 3}, {0, 1, -1, 1, 0, 0})},
     .truth = one([](const References& in) {
         double hits = 0, count = 0;
         for (int64_t i = 0; i < in[0].size(); ++i) {
             const double t = in[1].values[i];
             count += t != -1;
             hits += t != -1 && (in[0].values[i] >= 0) == (t == 1);
         }
         return Reference(Shape{}, hits / std::max(count, 1.0));
     }),
     .gradient = false,
     .rejects = {{.inputs = {{.shape = {2, 3}}, labels({2}, {0, 1})},
                  .message = "binary_accuracy: t should have y's shape [2,3], it has [2]"}}},
});

}  // namespace

}  // namespace catena::testing::evaluation_rows
