#pragma once

#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>

#include "runtime/program/schedule/schedule.h"

// The fields of a schedule, each in one line. What writes, reads, compares or counts them is a
// visitor of these lines, which decides by what a field is and where it is stored; so a new field
// is a line here, and one that is missing does not compile (schedule_fields.cpp).

namespace catena::program {

/// What a field is among the schedules of one program at other sizes, and with other numbers of
/// turns of its loops.
enum class Role : uint8_t {
    form,     ///< The field is the same in all schedules of a form.
    link,     ///< An index or a count of parts: the same at all sizes, another with more turns.
    buffer,   ///< The index of a buffer, in a part that uses it.
    maybe,    ///< A link that may be missing (-1), which is of the form.
    size,     ///< Depends on the sizes. How many numbers it has is of the form.
    blocked,  ///< A size that is divided into the blocks of a reduction, see NumberVisitor.
    parts,    ///< Has fields of its own, or is so many of such as the form says.
    list,     ///< Parts, of which there are more with more turns.
    code,     ///< Follows from the code that the key names.
    device,   ///< The field is there for devices only. Such schedules are not planned from others.
    report,   ///< A count for reports, another with more turns.
    text,     ///< The field is for readers and reports.
    derived,  ///< Computed from the other fields.
    process,  ///< The field belongs to this process, or to where its code is.
};

/// Where a field is written.
enum class Stored : uint8_t {
    file,     ///< The field is in files and kept programs, under its name.
    inlined,  ///< In files, the field's own fields stand among those beside it.
    /// In files, the field's fields stand in those of another field, see schedule_json.cpp.
    joined,
    kept,  ///< The field is in kept programs only (kept_schedule.h).
    nowhere,
};

/// When it is in a file.
enum class Presence : uint8_t {
    always,
    later,      ///< Files of earlier builds lack it.
    if_any,     ///< Unless it is empty, see is_absent.
    otherwise,  ///< If the field before it is absent.
};

namespace fields {

template <size_t length>
struct Name {
    char text[length];
    consteval Name(const char (&given)[length]) { std::copy_n(given, length, text); }
};

template <Name given, Role its_role, Stored is_stored, Presence is_present>
struct Field {
    static constexpr std::string_view name{given.text, sizeof(given.text) - 1};
    static constexpr Role role = its_role;
    static constexpr Stored stored = is_stored;
    static constexpr Presence presence = is_present;
    static constexpr bool is_in_files = stored == Stored::file || stored == Stored::inlined;
};

template <Name name, Role role, Stored stored = Stored::file, Presence presence = Presence::always>
constexpr Field<name, role, stored, presence> field;
template <Name name, Role role>
constexpr Field<name, role, Stored::nowhere, Presence::always> unstored;

template <class S, class T>
concept Is = std::same_as<std::remove_const_t<S>, T>;

// visit_fields(visit, a, ...) calls visit(field, a.member, ...) for each member of some structures
// of one type, constant or not. The order is that of the numbers in a stream.

template <class V, Is<Type>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"dtype", Role::form>, s.dtype...);
    visit(field<"shape", Role::size>, s.shape...);
}

template <class V, Is<SourceLoc>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"file", Role::text>, s.file...);
    visit(unstored<"function", Role::text>, s.function...);
    visit(field<"line", Role::text>, s.line...);
}

template <class V, Is<Buffer>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"place", Role::form>, s.place...);
    visit(field<"bytes", Role::blocked>, s.bytes...);
    visit(unstored<"offset", Role::derived>, s.offset...);
    visit(field<"first", Role::link>, s.first...);
    visit(field<"last", Role::link>, s.last...);
    visit(field<"index", Role::link>, s.index...);
    visit(field<"over", Role::maybe>, s.over...);
    visit(field<"donor", Role::maybe>, s.donor...);
}

template <class V, Is<View>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"buffer", Role::buffer>, s.buffer...);
    visit(field<"offset", Role::size>, s.offset...);
    visit(field<"type", Role::parts, Stored::inlined>, s.type...);
    visit(field<"strides", Role::size>, s.strides...);
}

template <class V, Is<DeviceForm>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"threads", Role::code>, s.threads...);
    visit(field<"reduce_threads", Role::code>, s.reduce_threads...);
    visit(field<"vector", Role::code>, s.vector...);
    visit(field<"wide_index", Role::code>, s.wide_index...);
    visit(field<"scalars_by_value", Role::code, Stored::file, Presence::later>,
          s.scalars_by_value...);
}

template <class V, Is<Operation>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"function", Role::text>, s.function...);
    visit(field<"location", Role::text, Stored::inlined>, s.location...);
}

template <class V, Is<StrideRead>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"operand", Role::form>, s.operand...);
    visit(field<"dim", Role::form>, s.dim...);
}

template <class V, Is<KernelOperand>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"dtype", Role::form>, s.dtype...);
    visit(field<"strides", Role::blocked>, s.strides...);
}

template <class V, Is<KernelGeometry>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"reduced", Role::form>, s.reduced...);
    visit(field<"serial", Role::form>, s.serial...);
    visit(field<"split", Role::form>, s.split...);
    visit(field<"split_size", Role::blocked>, s.split_size...);
    visit(field<"domain", Role::blocked>, s.domain...);
    visit(field<"inputs", Role::parts, Stored::joined>, s.inputs...);
    visit(field<"outputs", Role::parts, Stored::joined>, s.outputs...);
    visit(unstored<"scalar_count", Role::derived>, s.scalar_count...);
}

template <class V, Is<KernelLaunch::Operand>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"buffer", Role::buffer>, s.buffer...);
    visit(field<"byte_offset", Role::size>, s.byte_offset...);
}

template <class V, Is<KernelLaunch>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"key", Role::form, Stored::kept>, s.key...);
    visit(field<"symbol", Role::code>, s.symbol...);
    visit(field<"device", Role::code, Stored::file, Presence::if_any>, s.device...);
    visit(field<"element_nanoseconds", Role::form>, s.element_nanoseconds...);
    visit(field<"row_scratch_rows", Role::form>, s.row_scratch_rows...);
    visit(field<"scalars", Role::link>, s.scalars...);
    visit(field<"steps", Role::link, Stored::kept>, s.steps...);
    visit(field<"geometry", Role::parts, Stored::inlined>, s.geometry...);
    visit(field<"operands", Role::parts>, s.operands...);
    visit(field<"strides_read", Role::parts>, s.strides_read...);
    visit(field<"operations", Role::text, Stored::file, Presence::if_any>, s.operations...);
    visit(unstored<"function", Role::process>, s.function...);
    visit(unstored<"code", Role::process>, s.code...);
    visit(unstored<"kept", Role::process>, s.kept...);
    visit(unstored<"numbers", Role::derived>, s.numbers...);
    visit(unstored<"units", Role::derived>, s.units...);
    visit(unstored<"unit_nanoseconds", Role::derived>, s.unit_nanoseconds...);
    visit(unstored<"row_scratch_bytes", Role::derived>, s.row_scratch_bytes...);
}

template <class V, Is<ElementLaunches::Pass>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"symbol", Role::device>, s.symbol...);
    visit(field<"count", Role::device>, s.count...);
    visit(field<"numbers", Role::device>, s.numbers...);
}

template <class V, Is<ElementLaunches>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"threads", Role::device>, s.threads...);
    visit(field<"scratch", Role::device>, s.scratch...);
    visit(field<"passes", Role::device>, s.passes...);
    visit(unstored<"inputs_last", Role::device>, s.inputs_last...);
    visit(unstored<"outputs_last", Role::device>, s.outputs_last...);
}

template <class V, Is<LibraryCall>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"op", Role::form>, s.op...);
    visit(field<"inputs", Role::list>, s.inputs...);
    visit(field<"outputs", Role::list>, s.outputs...);
    visit(field<"attributes", Role::size>, s.attributes...);
    visit(field<"scalars", Role::link>, s.scalars...);
    visit(field<"steps", Role::link, Stored::kept>, s.steps...);
    visit(field<"location", Role::text, Stored::inlined>, s.location...);
    visit(field<"function", Role::text, Stored::file, Presence::if_any>, s.function...);
    visit(field<"elements", Role::device, Stored::file, Presence::if_any>, s.elements...);
}

template <class V, Is<Launch>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"library_call", Role::link>, s.library_call...);
    visit(field<"kernels", Role::link>, s.kernels...);
}

template <class V, Is<Result>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"input", Role::link, Stored::file, Presence::if_any>, s.input...);
    visit(field<"view", Role::parts, Stored::file, Presence::otherwise>, s.view...);
}

template <class V, Is<Cut>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"launch", Role::link>, s.launch...);
    visit(field<"inputs", Role::link>, s.inputs...);
    visit(field<"outputs", Role::link>, s.outputs...);
    visit(field<"assigns", Role::link>, s.assigns...);
    visit(unstored<"saved_bytes", Role::derived>, s.saved_bytes...);
}

template <class V, Is<ExecutableInfo>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"name", Role::text, Stored::kept>, s.name...);
    visit(unstored<"steps", Role::derived>, s.steps...);
    visit(field<"kernels", Role::text, Stored::kept>, s.kernels...);
    visit(unstored<"library_calls", Role::derived>, s.library_calls...);
    visit(field<"fused_ops", Role::report, Stored::kept>, s.fused_ops...);
    visit(field<"channels_last", Role::report, Stored::kept>, s.channels_last...);
    visit(field<"update_sweeps", Role::report, Stored::kept>, s.update_sweeps...);
    visit(field<"code_bytes", Role::process, Stored::kept>, s.code_bytes...);
    visit(unstored<"bytes", Role::derived>, s.bytes...);
    visit(unstored<"arena_bytes", Role::derived>, s.arena_bytes...);
    visit(unstored<"compile_seconds", Role::process>, s.compile_seconds...);
    visit(unstored<"is_from_disk", Role::process>, s.is_from_disk...);
    visit(field<"notes", Role::text, Stored::kept>, s.notes...);
}

template <class V, Is<Schedule>... S>
constexpr void visit_fields(V&& visit, S&... s) {
    visit(field<"inputs", Role::list>, s.input_types...);
    visit(field<"kernels", Role::list>, s.kernels...);
    visit(field<"buffers", Role::list>, s.buffers...);
    visit(field<"library_calls", Role::list>, s.library_calls...);
    visit(field<"launches", Role::list>, s.launches...);
    visit(field<"results", Role::list>, s.results...);
    visit(unstored<"arena_bytes", Role::derived>, s.arena_bytes...);
    visit(field<"cut", Role::parts, Stored::file, Presence::if_any>, s.cut...);
    visit(field<"info", Role::parts, Stored::kept>, s.info...);
}

}  // namespace fields

using fields::visit_fields;

/// A structure whose fields are listed above.
template <class T>
concept HasFields = requires(T& structure) { visit_fields([](auto, auto&) {}, structure); };

}  // namespace catena::program
