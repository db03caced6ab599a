// Where a region's arrays lie in memory, before and after they are computed: as in eager code.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "frontend/serializer/memory_archive.h"
#include "tests/frontend/capture_models.h"
#include "tests/support/memory.h"

namespace catena::testing {
namespace {

Variable counted(const Shape& shape, int call, bool requires_grad = false) {
    std::vector<float> values(size_t(element_count(shape)));
    for (size_t i = 0; i < values.size(); ++i) values[i] = float(i) + 100 * float(call);
    return Variable(Array::from(values, shape), requires_grad);
}

std::string file_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

using Body = std::function<void(Side&, const Variable&)>;

/// The body in a region, called some times with x = 0..5 of shape [2,3], plain and compiled.
void expect_same_inside(const Body& body) {
    expect_same(
        [&](Side& side) {
            auto f = side.region([&](const Variable& x) {
                body(side, x);
                return x * 2.0;
            });
            for (int i = 0; i < 5; ++i) {
                side.call(i);
                side.saw("result", f(counted({2, 3}, i)));
            }
        },
        {.modes = all_modes});
}

TEST(MemoryLayout, a_contiguous_copy_of_a_view_of_an_argument_is_row_major) {
    expect_same_inside([](Side& side, const Variable& x) {
        const Array dense = transpose(x).array().as_contiguous();
        side.saw("by pointer", by_pointer(dense));
        dense.data<float>()[1] = 77;
        side.saw("x", x);
        side.saw("dense", dense);
    });
}

TEST(MemoryLayout, a_contiguous_copy_of_a_view_of_a_computed_value_is_row_major) {
    expect_same_inside([](Side& side, const Variable& x) {
        const Variable y = x + 1.0;
        const Array dense = transpose(y).array().as_contiguous();
        side.saw("by pointer", by_pointer(dense));
        dense.data<float>()[1] = 77;
        side.saw("y", y);
    });
}

TEST(MemoryLayout, a_contiguous_copy_that_is_returned_is_row_major) {
    expect_same([](Side& side) {
        auto f = side.region([](const Variable& x) {
            return std::vector<Array>{transpose(x).array().as_contiguous(),
                                      transpose(x + 1.0).array().as_contiguous(),
                                      transpose(x).array()};
        });
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            const Variable x = counted({2, 3}, i);
            std::vector<Array> ys = f(x);
            ys.push_back(x.array());
            side.saw("memory", memory_of(ys));
            for (int k = 0; k < 2; ++k) side.saw("by pointer", by_pointer(ys[size_t(k)]));
            ys[0].data<float>()[1] = 77;
            side.saw("ys", ys);
        }
        if (auto counts = f.counts()) {
            EXPECT_EQ(counts->cuts, 0) << f.explain();
        }
    });
}

TEST(MemoryLayout, writing_a_contiguous_copy_of_a_broadcast_row_stays_inside_of_it) {
    expect_same_inside([](Side& side, const Variable& x) {
        const Array wide = broadcast_to(x[0], {1 << 12, 3}).array().as_contiguous();
        float* p = wide.data<float>();
        for (int64_t i = 0; i < wide.size(); ++i) p[i] += float(i);
        side.saw("sum", sum(Variable(wide)));
        side.saw("x", x);
    });
}

TEST(MemoryLayout, files_written_inside_hold_a_parameter_that_is_a_view) {
    expect_same_inside([](Side& side, const Variable& x) {
        Parameter p(Array::zeros({Dtype::float32, {3, 2}}));
        p.set_array(transpose(x * 10.0).array());
        save_npy("p.npy", p.array());
        side.saw("npy", file_bytes("p.npy"));
        p.set_array(transpose(x * 20.0).array());
        tofile("p.bin", p.array());
        side.saw("bin", file_bytes("p.bin"));
        p.set_array(transpose(x * 30.0).array());
        savetxt("p.txt", p.array());
        side.saw("txt", file_bytes("p.txt"));
    });
}

struct Holder : Chain {
    Parameter p{Array::zeros({Dtype::float32, {3, 2}})};
    Holder() { add_param("p", p); }
};

TEST(MemoryLayout, archives_written_inside_hold_a_parameter_that_is_a_view) {
    expect_same_inside([](Side& side, const Variable& x) {
        Holder holder;
        holder.p.set_array(transpose(x * 10.0).array());
        save_npz("h.npz", holder);
        Holder loaded;
        load_npz("h.npz", loaded);
        side.saw("npz", loaded);
        holder.p.set_array(transpose(x * 20.0).array());
        side.saw("packed", pack_arrays({holder.p.array()}));
    });
}

TEST(MemoryLayout, gradients_of_leaves_are_row_major) {
    expect_same(
        [](Side& side) {
            std::vector<Array> grads;
            auto f = side.region(
                [&](const Variable& x, const Variable& g) {
                    const Variable y = sum(x, 1), z = transpose(x);
                    y.set_grad(g.array());
                    y.backward();
                    const Variable w = z * 1.0;
                    return w;
                },
                {.keep_grads = true});
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                const Variable x = counted({2, 3}, i, true), g = counted({2}, i);
                f(x, g);
                side.saw("memory", memory_of(std::vector<Array>{x.grad(), x.array(), g.array()}));
                side.saw("by pointer", by_pointer(x.grad()));
            }
            if (auto counts = f.counts()) {
                EXPECT_EQ(counts->cuts, 0) << f.explain();
            }
        },
        {.modes = all_modes});
}

TEST(MemoryLayout, what_a_pending_array_says_of_itself_is_what_it_becomes) {
    expect_same_inside([](Side& side, const Variable& x) {
        const Variable y = x + 1.0, z = x + 1.0, t = transpose(y), row = y[1],
                       wide = broadcast_to(row, {4, 3}), u = transpose(x),
                       whole = reshape(y, {3, 2}), copied = reshape(t, {6});
        std::vector<Array> arrays;
        for (const Variable& v : {x, y, z, t, row, wide, u, whole, copied})
            arrays.push_back(v.array());
        side.saw("before", memory_of(arrays));
        const Array same = t.array().view(t.shape(), t.array().strides(), t.array().body()->offset);
        const Array again = wide.array().view({3, 4}, {1, 0}, wide.array().body()->offset);
        side.saw("same", same);
        side.saw("again", again);
        arrays.push_back(same);
        arrays.push_back(again);
        side.saw("sum", sum(z));
        side.saw("after", memory_of(arrays));
        side.saw("elements", arrays);
        whole.array().data<float>()[2] = 55;
        side.saw("written", arrays);
    });
}

TEST(MemoryLayout, results_lie_as_eager_results_lie) {
    expect_same(
        [](Side& side) {
            auto f = side.region([](const Variable& x) {
                const Variable h = tanh(x), k = exp(x), m = x * 3.0;
                return std::vector<Variable>{transpose(h),
                                             h[1],
                                             transpose(k)[2],
                                             reshape(m, {3, 2}),
                                             transpose(x),
                                             x[1],
                                             reshape(transpose(x), {2, 3}),
                                             flip(x, 0)};
            });
            for (int i = 0; i < 6; ++i) {
                side.call(i);
                // As the array is, row-major or not, and where it begins.
                const Variable big = counted({4, 6}, i), wide = counted({3, 2}, i);
                const Variable x = i % 3 == 0   ? counted({2, 3}, i)
                                   : i % 3 == 1 ? transpose(wide)
                                                : big[{slice(1, 3), slice(1, 6, 2)}];
                std::vector<Variable> ys = f(x);
                ys.push_back(x);
                std::vector<Array> arrays;
                for (const Variable& y : ys) arrays.push_back(y.array());
                side.saw("memory", memory_of(arrays));
                for (size_t k = 0; k < ys.size(); ++k) {
                    // The first element is written as an array of one: where each lies is known.
                    *static_cast<float*>(ys[k].array().raw_data()) = 50 + float(k);
                    side.saw("written", ys);
                }
            }
        },
        {.modes = all_modes});
}

TEST(MemoryLayout, a_reshaped_result_of_a_value_that_backward_keeps_is_made_without_the_code) {
    expect_same([](Side& side) {
        const Variable w(batch(1, 2, 3).array(), true);
        auto f = side.region([&](const Variable& x) { return reshape(tanh(tanh(x * w) * w), {6}); },
                             {.audit = Audit::never});
        for (int i = 0; i < 5; ++i) {
            side.call(i);
            w.cleargrad();
            const Variable y = f(batch(i, 2, 3));
            sum(y * y).backward();
            side.saw("y", y);
            side.saw_gradient("w", w);
        }
    });
}

TEST(MemoryLayout, results_of_calls_that_skip_the_code_lie_there_too) {
    expect_same([](Side& side) {
        State kept(Array::zeros({Dtype::float32, {3, 2}}));
        auto f = side.region(
            [&](const Variable& x) {
                const Variable h = tanh(x);
                assign(kept, transpose(h));
                return std::vector<Variable>{transpose(x), h[1], transpose(h), x + 1.0};
            },
            {.audit = Audit::never});
        for (int i = 0; i < 6; ++i) {
            side.call(i);
            const Variable x = counted({2, 3}, i);
            std::vector<Variable> ys = f(x);
            std::vector<Array> arrays{x.array(), kept.array()};
            for (const Variable& y : ys) arrays.push_back(y.array());
            side.saw("memory", memory_of(arrays));
            arrays[2].data<float>()[0] = 55;
            side.saw("x", arrays[0]);
            arrays[3].data<float>()[0] = 66;
            side.saw("kept", arrays);
        }
        if (auto counts = f.counts()) {
            EXPECT_LE(counts->followed_calls, 2) << f.explain();
        }
    });
}

}  // namespace
}  // namespace catena::testing
