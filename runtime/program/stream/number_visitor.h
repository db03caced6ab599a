#pragma once

#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/schedule/schedule_fields.h"

namespace catena::program {

/// Calls `number`, with a reference to an int64_t, for each number of a part of a schedule that
/// depends on its sizes. Without those that follow from others, see set_numbers.
template <class F>
class NumberVisitor {
public:
    /// `combines`: of a kernel that combines the results of blocks, so their number is not its own.
    /// `blocks`: of a buffer that has a result for each of so many: its bytes are a multiple.
    explicit NumberVisitor(F& number, bool combines = false, int64_t blocks = 1)
        : number_(number), combines_(combines), blocks_(blocks) {}

    template <class Field, class T>
    void operator()(Field, T& value) {
        if constexpr (Field::role == Role::size)
            numbers(value);
        else if constexpr (Field::role == Role::blocked)
            blocked(value);
        else if constexpr (Field::role == Role::parts || Field::role == Role::list)
            visit(value);
    }

    template <class T>
    void visit(std::vector<T>& parts) {
        for (T& part : parts) visit(part);
    }
    template <HasFields T>
    void visit(T& part) {
        visit_fields(*this, part);
    }
    void visit(KernelGeometry& geometry) {
        geometry_ = &geometry;
        visit_fields(*this, geometry);
    }
    void visit(KernelOperand& operand) {
        operand_ = &operand;
        visit_fields(*this, operand);
        operand_ = nullptr;
    }
    void visit(Result& result) {
        if (result.input < 0) visit(result.view);
    }

    void numbers(int64_t& value) { number_(value); }
    void numbers(Dims& dims) {
        for (int64_t& size : dims) number_(size);
    }
    void numbers(Attributes& attributes) {
        std::vector<Attributes::Entry> entries(attributes.entries().begin(),
                                               attributes.entries().end());
        bool changed = false;
        for (Attributes::Entry& entry : entries) {
            const Attribute before = entry.value;
            if (Dims* dims = std::get_if<Dims>(&entry.value))
                numbers(*dims);
            else if (int64_t* integer = std::get_if<int64_t>(&entry.value))
                numbers(*integer);
            changed = changed || !(before == entry.value);
        }
        if (changed) attributes = Attributes(std::move(entries));
    }

private:
    bool is_split() const { return geometry_->split > 0; }

    /// Whether a size of the domain, or an operand's stride, follows from the division into blocks.
    bool follows(int dim) const {
        if (operand_)
            return is_split() && dim == 0 && !BlockedKernels::is_per_block(*geometry_, *operand_);
        return (is_split() && (dim == 0 || dim == geometry_->split)) ||
               (combines_ && geometry_->is_reduced(dim));
    }

    void blocked(Dims& dims) {
        for (int dim = 0; dim < dims.rank(); ++dim)
            if (!follows(dim)) number_(dims[dim]);
    }
    /// The full size of the dimension that is split.
    void blocked(int64_t& size) {
        if (is_split()) number_(size);
    }
    void blocked(size_t& bytes) {
        const int64_t before = int64_t(bytes) / blocks_;
        int64_t each = before;
        number_(each);
        if (each != before) bytes = size_t(each * blocks_);
    }

    F& number_;
    const bool combines_;
    const int64_t blocks_;
    const KernelGeometry* geometry_ = nullptr;
    const KernelOperand* operand_ = nullptr;
};

}  // namespace catena::program
