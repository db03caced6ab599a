#include "runtime/program/schedule/schedule_fields.h"

#include <cstddef>
#include <utility>

namespace catena::program {
namespace {

/// A value of any type, to find how many a structure takes between braces.
struct AnyValue {
    template <class T>
    operator T() const;
};

template <class T, size_t... index>
constexpr bool takes(std::index_sequence<index...>) {
    return requires { T{(void(index), AnyValue())...}; };
}

/// The number of an aggregate's members: it can be given so many values, and no more.
template <class T, size_t count = 0>
constexpr size_t member_count() {
    static_assert(std::is_aggregate_v<T>);
    if constexpr (takes<T>(std::make_index_sequence<count + 1>()))
        return member_count<T, count + 1>();
    else
        return count;
}

/// An object of which only the addresses of members are taken, while this is compiled.
template <class T>
struct Unmade {
    static T structure;
};

template <class T>
constexpr size_t field_count() {
    size_t count = 0;
    visit_fields([&](auto, auto&) { ++count; }, Unmade<T>::structure);
    return count;
}

template <class... T>
constexpr bool all_members_are_listed = ((field_count<T>() == member_count<T>()) && ...);

static_assert(all_members_are_listed<Type, Buffer, View, DeviceForm, Operation, StrideRead>,
              "schedule_fields.h lists other fields than there are");
static_assert(all_members_are_listed<KernelOperand, KernelGeometry, KernelLaunch::Operand>,
              "schedule_fields.h lists other fields than there are");
static_assert(all_members_are_listed<KernelLaunch>,
              "schedule_fields.h lists other fields than there are");
static_assert(all_members_are_listed<ElementLaunches::Pass, ElementLaunches, LibraryCall>,
              "schedule_fields.h lists other fields than there are");
static_assert(all_members_are_listed<Launch, Result, Cut, ExecutableInfo, Schedule>,
              "schedule_fields.h lists other fields than there are");

}  // namespace
}  // namespace catena::program
