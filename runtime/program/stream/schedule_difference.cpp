#include <algorithm>
#include <optional>

#include "runtime/graph/op/alike_attributes.h"
#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/schedule/schedule_fields.h"
#include "runtime/program/stream/schedule_numbers.h"

namespace catena::program {
namespace {

template <HasFields T>
bool alike(const T& a, const T& b);

template <class T>
bool alike(const std::vector<T>& a, const std::vector<T>& b) {
    return std::ranges::equal(a, b, [](const T& x, const T& y) { return alike(x, y); });
}

/// Sizes may differ, but there are as many.
bool same_count(int64_t, int64_t) { return true; }
bool same_count(size_t, size_t) { return true; }
bool same_count(const Dims& a, const Dims& b) { return a.rank() == b.rank(); }
bool same_count(const Attributes& a, const Attributes& b) { return alike_attributes(a, b); }

/// Whether two parts are alike but for their sizes, their texts, and what is of this process.
class Likeness {
public:
    bool found() const { return found_; }

    template <class Field, class T>
    void operator()(Field, const T& a, const T& b) {
        if (found_) found_ = is_alike<Field::role>(a, b);
    }

private:
    template <Role role, class T>
    static bool is_alike(const T& a, const T& b) {
        if constexpr (role == Role::form || role == Role::link || role == Role::buffer ||
                      role == Role::maybe)
            return a == b;
        else if constexpr (role == Role::size || role == Role::blocked)
            return same_count(a, b);
        else if constexpr (role == Role::parts || role == Role::list)
            return alike(a, b);
        else if constexpr (role == Role::device)
            return !a && !b;
        else
            return true;
    }

    bool found_ = true;
};

/// Whether the same operands have an element for each block of a reduction.
bool same_blocks(const KernelGeometry& a, const KernelGeometry& b) {
    for (int o = 0; o < a.operand_count() && a.split > 0; ++o)
        if (BlockedKernels::is_per_block(a, a.operand(o)) !=
            BlockedKernels::is_per_block(b, b.operand(o)))
            return false;
    return true;
}

template <HasFields T>
bool alike(const T& a, const T& b) {
    Likeness likeness;
    visit_fields(likeness, a, b);
    if constexpr (std::is_same_v<T, KernelGeometry>)
        return likeness.found() && same_blocks(a, b);
    else
        return likeness.found();
}

std::string name_of_part(const Type&, size_t i) { return fmt::format("the type of input {}", i); }
std::string name_of_part(const Buffer&, size_t i) {
    return fmt::format("the place or life of buffer {}", i);
}
std::string name_of_part(const KernelLaunch&, size_t i) {
    return fmt::format("the code or operands of kernel {}", i);
}
std::string name_of_part(const LibraryCall& call, size_t) {
    return fmt::format("the call of {}", call.op->name);
}
std::string name_of_part(const Launch&, size_t i) { return fmt::format("launch {}", i); }
std::string name_of_part(const Result&, size_t i) { return fmt::format("result {}", i); }

/// Whether the lists of two schedules are of the same length, and what is no list is alike.
class SameCounts {
public:
    bool found() const { return found_; }

    template <class Field, class T>
    void operator()(Field, const T& a, const T& b) {
        if constexpr (Field::role == Role::list)
            found_ = found_ && a.size() == b.size();
        else if constexpr (Field::role == Role::parts)
            found_ = found_ && alike(a, b);
    }

private:
    bool found_ = true;
};

/// Names the first part that differs.
class FirstDifference {
public:
    const std::string& name() const { return name_; }

    template <class Field, class T>
    void operator()(Field, const T& a, const T& b) {
        if constexpr (Field::role == Role::list) visit(a, b);
    }

private:
    /// Compares two lists of buffers. Where these differ, their kernels mostly do, too, and stand
    /// before them.
    template <class T>
    void visit(const std::vector<T>& a, const std::vector<T>& b) {
        if (!name_.empty() && !(is_kernel_ && std::is_same_v<T, Buffer>)) return;
        for (size_t i = 0; i < a.size(); ++i) {
            if (alike(a[i], b[i])) continue;
            name_ = name_of_part(a[i], i);
            is_kernel_ = std::is_same_v<T, KernelLaunch>;
            return;
        }
    }

    std::string name_;
    bool is_kernel_ = false;  ///< Whether the number names a kernel.
};

}  // namespace

std::string difference(const Schedule& a, const Schedule& b) {
    if (!has_regular_blocks(a) || !has_regular_blocks(b)) return "blocks of a reduction";
    SameCounts counts;
    visit_fields(counts, a, b);
    if (!counts.found()) return "numbers of buffers, launches or results";
    FirstDifference first;
    visit_fields(first, a, b);
    return first.name();
}

}  // namespace catena::program
