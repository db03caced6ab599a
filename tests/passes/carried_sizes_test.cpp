// Sizes can be carried through the passes: where the type of each value says how its sizes follow
// from one open size, the fused program of one size gives that of any other, as long as no pass
// decides otherwise there. Planned programs rest on this (docs/static_graph.md, "How new sizes are
// planned"): two programs of one form differ in numbers alone, which are polynomials in the size.
#include <array>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include "ir/dialect.h"
#include "ir/import.h"
#include "ir/types.h"
#include "passes/pipeline/pipeline.h"
#include "runtime/graph/call/recorder.h"
#include "runtime/graph/trace/tracer.h"
#include "runtime/graph/walk/gradient.h"
#include "runtime/ops/activation/activation.h"
#include "runtime/ops/activation/softmax.h"
#include "runtime/ops/array/layout/joining.h"
#include "runtime/ops/array/layout/movement.h"
#include "runtime/ops/array/layout/slicing.h"
#include "runtime/ops/math/linalg/contraction.h"
#include "runtime/ops/math/math.h"
#include "runtime/ops/math/reduction/reduction.h"

namespace catena::passes {
namespace {

using Arguments = std::vector<Variable>;
using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Numbers = llvm::SmallVector<int64_t>;

/// A function, and the shapes of its arguments at an open size.
struct Program {
    std::function<std::vector<Shape>(int64_t size)> shapes;
    std::function<Arguments(const Arguments&)> function;
};

Trace recording_of(const Program& program, int64_t size) {
    Tracer tracer(true);
    Arguments arguments, results;
    for (const Shape& shape : program.shapes(size)) {
        arguments.emplace_back(Array::zeros({Dtype::float32, shape}), true);
        tracer.add_argument(arguments.back().array(), "x");
    }
    const RecorderScope scope(&tracer);
    results = program.function(arguments);
    Trace trace = tracer.trace();
    for (const Variable& result : results) trace.outputs.push_back(tracer.value_of(result.array()));
    return trace;
}

/// Calls `visit` with each value of the module that is an array, operations in their order.
void each_array(mlir::ModuleOp module, const std::function<void(mlir::Value)>& visit) {
    const auto visit_arrays = [&](mlir::ValueRange values) {
        for (mlir::Value value : values)
            if (llvm::isa<mlir::RankedTensorType>(value.getType())) visit(value);
    };
    module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
        visit_arrays(op->getResults());
        for (mlir::Region& region : op->getRegions())
            for (mlir::Block& block : region) visit_arrays(block.getArguments());
    });
}

/// The numbers at a base and at the next two sizes, as coefficients of binomials: exact for
/// polynomials of up to the second degree, as shapes of these programs are.
mlir::DenseI64ArrayAttr function_through(mlir::MLIRContext& context, llvm::ArrayRef<int64_t> a,
                                         llvm::ArrayRef<int64_t> b, llvm::ArrayRef<int64_t> c) {
    Numbers coefficients;
    for (size_t i = 0; i < a.size(); ++i)
        coefficients.append({a[i], b[i] - a[i], c[i] - 2 * b[i] + a[i]});
    return mlir::DenseI64ArrayAttr::get(&context, coefficients);
}

Numbers numbers_at(mlir::DenseI64ArrayAttr function, int64_t beyond) {
    Numbers numbers;
    const llvm::ArrayRef<int64_t> all = function.asArrayRef();
    for (size_t i = 0; i < all.size(); i += 3)
        numbers.push_back(all[i] + all[i + 1] * beyond + all[i + 2] * (beyond * (beyond - 1) / 2));
    return numbers;
}

constexpr const char* begins = "begins";  ///< The attribute of a slice whose place moves.

void set_function_type(mlir::ModuleOp module) {
    for (auto function : module.getOps<mlir::func::FuncOp>()) {
        mlir::Block& body = function.getBody().front();
        function.setType(mlir::FunctionType::get(module.getContext(), body.getArgumentTypes(),
                                                 body.getTerminator()->getOperandTypes()));
    }
}

/// Gives each value of `at[0]` a type that says how its sizes follow from the open one, which is
/// larger by one in each of the other two modules.
void add_functions(std::array<Module, 3>& at) {
    mlir::MLIRContext& context = *at[0]->getContext();
    std::array<std::vector<mlir::Value>, 3> arrays;
    std::array<std::vector<ir::SliceOp>, 3> slices;
    for (size_t i = 0; i < 3; ++i) {
        each_array(*at[i], [&](mlir::Value value) { arrays[i].push_back(value); });
        mlir::ModuleOp(*at[i]).walk([&](ir::SliceOp slice) { slices[i].push_back(slice); });
    }
    ASSERT_EQ(arrays[0].size(), arrays[1].size());
    ASSERT_EQ(arrays[0].size(), arrays[2].size());
    for (size_t v = 0; v < arrays[0].size(); ++v) {
        const auto type = [&](size_t i) { return ir::tensor_type_of(arrays[i][v]); };
        arrays[0][v].setType(mlir::RankedTensorType::get(
            type(0).getShape(), type(0).getElementType(),
            function_through(context, type(0).getShape(), type(1).getShape(), type(2).getShape())));
    }
    for (size_t s = 0; s < slices[0].size(); ++s)
        if (slices[0][s].getBegin() != slices[1][s].getBegin())
            slices[0][s]->setAttr(
                begins, function_through(context, slices[0][s].getBegin(), slices[1][s].getBegin(),
                                         slices[2][s].getBegin()));
    set_function_type(*at[0]);
}

/// The iteration domain of a group follows from the types inside (ir/ops.td).
void set_domain(ir::GroupOp group) {
    Numbers domain(group.getDomain().size(), 1);
    const auto widen = [&](mlir::Value value) {
        const auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
        if (!type) return;
        for (int64_t i = 1; i <= std::min(type.getRank(), int64_t(domain.size())); ++i)
            if (const int64_t size = type.getDimSize(unsigned(type.getRank() - i)); size != 1)
                domain[domain.size() - size_t(i)] = size;
    };
    for (mlir::Operation& op : group.getBody().front()) {
        llvm::for_each(op.getOperands(), widen);
        llvm::for_each(op.getResults(), widen);
    }
    group.setDomain(domain);
}

/// The program at a size that is larger by `beyond` than the base, as text.
std::string program_beyond(mlir::ModuleOp fused, int64_t beyond) {
    Module module(fused.clone());
    each_array(*module, [&](mlir::Value value) {
        const mlir::RankedTensorType type = ir::tensor_type_of(value);
        const auto function = llvm::dyn_cast_or_null<mlir::DenseI64ArrayAttr>(type.getEncoding());
        if (!function) {
            ADD_FAILURE() << "a pass made a type of numbers alone: "
                          << (value.getDefiningOp()
                                  ? value.getDefiningOp()->getName().getStringRef().str()
                                  : "an argument");
            return;
        }
        value.setType(
            mlir::RankedTensorType::get(numbers_at(function, beyond), type.getElementType()));
    });
    mlir::ModuleOp(*module).walk([&](mlir::Operation* op) {
        if (auto group = llvm::dyn_cast<ir::GroupOp>(op)) set_domain(group);
        if (auto slice = llvm::dyn_cast<ir::SliceOp>(op); slice && slice->hasAttr(begins)) {
            slice.setBegin(
                numbers_at(slice->getAttrOfType<mlir::DenseI64ArrayAttr>(begins), beyond));
            slice->removeAttr(begins);
        }
    });
    set_function_type(*module);
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    return text;
}

/// How the open size of a program is carried through all passes.
class Carried {
public:
    Carried(const Program& program, int64_t base) : program_(program), base_(base) {
        ir::load_dialects(context_);
        std::array<Module, 3> at;
        for (int64_t i = 0; i < 3; ++i) at[size_t(i)] = imported(base + i);
        add_functions(at);
        fused_ = std::move(at[0]);
        EXPECT_TRUE(mlir::succeeded(run_pipeline(*fused_, {.verify_each = true}, notes_)));
    }

    /// Whether the program of the base gives the one that the passes make at this size.
    bool gives(int64_t size) {
        Module compiled = imported(size);
        EXPECT_TRUE(mlir::succeeded(run_pipeline(*compiled, {}, notes_)));
        std::string text;
        llvm::raw_string_ostream stream(text);
        compiled->print(stream);
        return program_beyond(*fused_, size - base_) == text;
    }

private:
    /// Without the numbers that operations were given: 1 / n is another one at each size.
    Module imported(int64_t size) {
        Module module = ir::import_trace(recording_of(program_, size), context_);
        mlir::ModuleOp(*module).walk([](ir::ScalarOp scalar) { scalar.removeSeenAttr(); });
        return module;
    }

    const Program program_;
    const int64_t base_;
    mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
    Module fused_;
    std::vector<std::string> notes_;
};

/// A word more after those of a cache, of 12 blocks as they are in `gpt_decode`.
Arguments decode(const Arguments& x) {
    Variable h = x[0];
    Arguments results;
    for (size_t block = 0; block < 12; ++block) {
        const Variable all = concat({x[1], matmul(h, x[2])}, 0);
        const Variable scores = softmax(matmul(h, transpose(all)) * 0.3);
        const Variable last = strided_slice(all, {x[1].shape()[0] - 1, 0}, {1, 1}, {1, 24});
        h = h + gelu(matmul(matmul(scores, all), x[2])) + last;
        results.push_back(all);
    }
    results.push_back(h);
    return results;
}

/// A product of rows, their softmax, and sums over the rows, as gradients of a bias are.
Arguments row_and_column_sums(const Arguments& x) {
    const Variable y = softmax(matmul(x[0], x[1]));
    return {y, sum(y, 0), sum(square(y), 0)};
}

/// Sequences that attend to themselves: the length is multiplied by itself.
Arguments attention(const Arguments& x) {
    const int64_t batch = x[0].shape()[0], length = x[0].shape()[1], width = x[0].shape()[2];
    const auto part = [&](const Variable& w) {
        return reshape(matmul(reshape(x[0], {batch * length, width}), w), x[0].shape());
    };
    const Variable scores = matmul(part(x[1]), transpose(part(x[2]), {0, 2, 1}));
    const Variable loss = mean(square(matmul(softmax(scores, 2), part(x[3]))));
    Arguments results{loss};
    for (const Variable& gradient : grad({loss}, {x[1], x[2], x[3]})) results.push_back(gradient);
    return results;
}

TEST(CarriedSizes, give_every_program_of_a_cache_that_grows) {
    Carried carried(
        {[](int64_t size) { return std::vector<Shape>{{1, 24}, {size, 24}, {24, 24}}; }, decode},
        101);
    for (int64_t size = 2; size < 256; size += 3) EXPECT_TRUE(carried.gives(size)) << size;
    EXPECT_TRUE(carried.gives(24)) << "by chance equal to another size";
}

TEST(CarriedSizes, give_every_program_of_longer_sequences) {
    Carried carried(
        {[](int64_t size) { return std::vector<Shape>{{3, size, 8}, {8, 8}, {8, 8}, {8, 8}}; },
         attention},
        11);
    for (int64_t size = 2; size < 21; ++size) EXPECT_TRUE(carried.gives(size)) << size;
}

/// Fusion sums over columns in the sweep of the rows from 64 rows on (passes/analysis/sweep.h).
TEST(CarriedSizes, give_the_programs_of_batches_for_which_the_passes_decide_alike) {
    const Program program{[](int64_t size) { return std::vector<Shape>{{size, 30}, {30, 50}}; },
                          row_and_column_sums};
    Carried few(program, 17), many(program, 131);
    for (int64_t size = 2; size < 200; size += 2) {
        EXPECT_EQ(few.gives(size), size < 64) << size;
        EXPECT_EQ(many.gives(size), size >= 64) << size;
    }
}

}  // namespace
}  // namespace catena::passes
