"""What lldb shows of Catena's types: `command script import .../catena_lldb.py`, in ~/.lldbinit.

It reads memory only, and calls nothing of the program, so it works on core files, too. Links as
trees need lldb 17 or newer.
"""

import os
import struct
import sys

import lldb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from catena_values import (
    ELEMENTS,
    Unreadable,
    bfloat16,
    class_names,
    elements_text,
    float16,
    number_text,
    shape_text,
    type_text,
)

sys.path.pop(0)

DTYPES = list(ELEMENTS)
"""In the order of the enum."""


def member(value, *names):
    """A member of a member, also of a base class."""
    for name in names:
        value = value.GetNonSyntheticValue()
        found = value.GetChildMemberWithName(name)
        if not found.IsValid():
            for i in range(value.GetType().GetNumberOfDirectBaseClasses()):
                found = member(value.GetChildAtIndex(i), name)
                if found.IsValid():
                    break
        value = found
    return value


def number(value):
    return value.GetValueAsSigned()


def pointee(value):
    """What a Ref, an Owned or a pointer points to; None where it is null."""
    value = value.GetNonSyntheticValue()
    if not value.GetType().IsPointerType():
        value = member(value, "object_")
    if not value.IsValid() or value.GetError().Fail():
        raise Unreadable("not constructed yet, or described nowhere")
    return value.Dereference().GetNonSyntheticValue() if value.GetValueAsUnsigned() else None


def reader(value):
    process = value.GetProcess()

    def read(address, length):
        error = lldb.SBError()
        content = process.ReadMemory(address, length, error)
        if error.Fail():
            raise Unreadable(str(error))
        return content

    return read


def text_of(string):
    """The content of a std::string of libstdc++."""
    string = string.GetNonSyntheticValue()
    data = member(string, "_M_dataplus", "_M_p").GetValueAsUnsigned()
    length = member(string, "_M_string_length").GetValueAsUnsigned()
    if not 0 <= length < 1 << 20:
        raise Unreadable(f"a string of {length} characters")
    return reader(string)(data, length).decode("utf-8", "replace") if length else ""


def items_of(vector):
    """The items of a std::vector of libstdc++."""
    parts = member(vector.GetNonSyntheticValue(), "_M_impl")
    begin, end = member(parts, "_M_start"), member(parts, "_M_finish")
    of = begin.GetType().GetPointeeType()
    length = end.GetValueAsUnsigned() - begin.GetValueAsUnsigned()
    if not of.GetByteSize() or not 0 <= length < 1 << 24:
        raise Unreadable(f"a vector of {length} bytes")
    return [
        begin.CreateValueFromAddress(
            f"[{i}]", begin.GetValueAsUnsigned() + i * of.GetByteSize(), of
        )
        for i in range(length // of.GetByteSize())
    ]


def dtype_name(dtype):
    index = dtype.GetValueAsUnsigned()
    if index >= len(DTYPES):
        raise Unreadable(f"dtype {index}")
    return DTYPES[index]


def numbers_of(dims):
    dims = dims.GetNonSyntheticValue()
    rank, values = number(member(dims, "rank_")), member(dims, "values_")
    if not 0 <= rank <= 8:
        raise Unreadable(f"rank {rank}")
    return [number(values.GetChildAtIndex(i)) for i in range(rank)]


def type_of(of):
    return type_text(dtype_name(member(of, "dtype")), numbers_of(member(of, "shape")))


def array_text(array):
    body = pointee(member(array, "body_"))
    if body is None:
        return "undefined"
    kind = member(body, "type")
    text = type_of(kind)
    if member(body, "pending").GetValueAsUnsigned():
        return text + ", not computed yet: a static region records"
    storage = pointee(member(body, "storage"))
    if storage is None:
        return text + " without memory"
    device = pointee(member(storage, "device"))
    if device is None:
        return text + " without a device"
    text += " on " + text_of(member(device, "name_"))
    if not member(device, "is_host_").GetValueAsUnsigned():
        return text
    dtype, shape = dtype_name(member(kind, "dtype")), numbers_of(member(kind, "shape"))
    offset = number(member(body, "offset")) * struct.calcsize("<" + ELEMENTS[dtype])
    start = member(storage, "data").GetValueAsUnsigned() + offset
    strides = numbers_of(member(body, "strides"))
    return text + " " + elements_text(reader(array), start, dtype, shape, strides)


def variable_text(variable):
    body = pointee(member(variable, "body_"))
    if body is None:
        return "undefined"
    text = array_text(member(body, "array"))
    name = pointee(member(body, "name"))
    if name is not None and text_of(name):
        text = f"'{text_of(name)}' {text}"
    if member(body, "requires_grad").GetValueAsUnsigned():
        gradient = pointee(member(body, "grad"))
        shown = "none" if gradient is None else array_text(member(gradient, "array"))
        text += ", gradient " + shown
    return text


def cell_text(cell):
    body = pointee(member(cell, "body_"))
    return "moved from" if body is None else real_text(member(body, "value"))


def scalar_text(scalar):
    cell = pointee(member(scalar, "cell_"))
    return real_text(member(scalar, "value_") if cell is None else member(cell, "value"))


def real_text(value):
    return number_text(value.GetData().GetDouble(lldb.SBError(), 0), "float64")


def bits_of(value):
    return member(value, "bits").GetValueAsUnsigned()


LINES = {
    "Array": array_text,
    "Variable": variable_text,
    "State": variable_text,
    "Parameter": variable_text,
    "Dims": lambda dims: shape_text(numbers_of(dims)),
    "Type": type_of,
    "Cell": cell_text,
    "Scalar": scalar_text,
    "Half": lambda value: number_text(float16(bits_of(value)), "float16"),
    "BFloat16": lambda value: number_text(bfloat16(bits_of(value)), "bfloat16"),
}


def line(value, _):
    """The summary of a value."""
    value = value.GetNonSyntheticValue()
    of = value.GetType().GetCanonicalType().GetUnqualifiedType()
    if of.IsReferenceType():
        of = of.GetDereferencedType().GetCanonicalType().GetUnqualifiedType()
    try:
        return LINES[of.GetName().removeprefix("catena::")](value)
    except Unreadable as error:
        return f"not a value ({error})"


# Links.


def derives_from_link(of):
    """Whether a class derives from catena::Link, as far as the debug information tells."""
    of = of.GetCanonicalType().GetUnqualifiedType()
    bases = [
        of.GetDirectBaseClassAtIndex(i).GetType() for i in range(of.GetNumberOfDirectBaseClasses())
    ]
    return of.GetName() == "catena::Link" or any(derives_from_link(base) for base in bases)


def may_be_link(of, _=None):
    """Whether values of a class may be links: of Catena's own, a program knows the names alone."""
    of = of.GetCanonicalType().GetUnqualifiedType()
    is_class = of.GetTypeClass() in (lldb.eTypeClassClass, lldb.eTypeClassStruct)
    known = (of.GetName() or "").removeprefix("catena::") in LINES
    if not is_class or known or of.IsPointerType() or of.IsReferenceType():
        return False
    if derives_from_link(of):
        return True
    names = [of.GetName() or "", *bases_of(of)]
    return any(n.startswith("catena::") for n in names) and not is_whole(of)


def is_whole(of):
    bases = (
        of.GetDirectBaseClassAtIndex(i).GetType() for i in range(of.GetNumberOfDirectBaseClasses())
    )
    return of.IsTypeComplete() and all(is_whole(base.GetCanonicalType()) for base in bases)


def type_named(value, name):
    of = value.GetTarget().FindFirstType(name)
    if not of.IsValid():
        raise Unreadable(f"{name} is described nowhere: install Catena's -dbgsym package")
    return of


def at(value, name, address):
    """The object of that class at an address."""
    of = type_named(value, name)
    return value.CreateValueFromAddress("object", address, of).GetNonSyntheticValue()


def classes_of(value):
    """The names of an object's class and of its first bases."""

    def symbol_at(address):
        return value.GetTarget().ResolveLoadAddress(address).GetSymbol().GetName() or ""

    return class_names(reader(value), value.GetLoadAddress(), symbol_at)


def parts_of(value):
    """Names and values of a link's parameters, persistent states and children."""
    link = at(value, "catena::Link", value.GetLoadAddress())
    classes, offsets = classes_of(value), {}
    if "catena::Link" not in classes:
        raise Unreadable("no link")
    for entry in items_of(member(link, "entries_")):
        kind, part = member(entry, "kind").GetValueAsUnsigned(), member(entry, "part")
        of = ("catena::Parameter", "catena::State", "catena::Link")[kind]
        if of not in offsets:
            offsets[of] = offset_of_part(type_named(value, of))
        if part.GetValueAsUnsigned():
            address = part.GetValueAsUnsigned() - offsets[of]
            yield text_of(member(entry, "name")), at(value, of, address)
    for name, owned in (("catena::ChainList", "links_"), ("catena::Sequential", "layers_")):
        if name not in classes:
            continue
        for i, item in enumerate(items_of(member(at(value, name, value.GetLoadAddress()), owned))):
            owner = member(item, "link") if owned == "layers_" else item
            child = pointee(member(owner, "link_"))
            if child is not None:
                yield str(i), child


def bases_of(of):
    for i in range(of.GetNumberOfDirectBaseClasses()):
        base = of.GetDirectBaseClassAtIndex(i).GetType().GetCanonicalType()
        yield base.GetName()
        yield from bases_of(base)


def offset_of_part(of):
    """How far into an object of the class its base Part lies."""
    for i in range(of.GetNumberOfDirectBaseClasses()):
        base = of.GetDirectBaseClassAtIndex(i)
        if base.GetName() == "catena::Part":
            return base.GetOffsetInBytes()
        inner = offset_of_part(base.GetType())
        if inner is not None:
            return base.GetOffsetInBytes() + inner
    return None


def link_line(value, _):
    try:
        classes = classes_of(value.GetNonSyntheticValue())
    except (Unreadable, UnicodeDecodeError):
        classes = []
    return classes[0] if "catena::Link" in classes else value.GetTypeName()


def is_part(of):
    """Whether a member of this type is shown by its link already."""
    of = of.GetCanonicalType().GetUnqualifiedType()
    return of.GetName() in ("catena::Parameter", "catena::State") or may_be_link(of)


class LinkParts:
    """The children of a link for lldb: its parts, then the members of the user's class."""

    def __init__(self, value, _):
        self.value = value

    def update(self):
        self.parts = []
        try:
            for name, part in parts_of(self.value):
                shown = part.GetAddress().GetLoadAddress(part.GetTarget())
                self.parts.append(self.value.CreateValueFromAddress(name, shown, part.GetType()))
        except Unreadable:
            pass
        of = self.value.GetType()
        if not (of.GetName() or "").startswith("catena::"):
            fields = (of.GetFieldAtIndex(i) for i in range(of.GetNumberOfFields()))
            self.parts += [
                self.value.GetChildMemberWithName(field.GetName())
                for field in fields
                if not is_part(field.GetType())
            ]
        return False

    def num_children(self):
        return len(self.parts)

    def get_child_index(self, name):
        names = [part.GetName() for part in self.parts]
        return names.index(name) if name in names else -1

    def get_child_at_index(self, index):
        return self.parts[index] if 0 <= index < len(self.parts) else None


class SmallVectorItems:
    """The items of a SmallVector."""

    def __init__(self, value, _):
        self.value = value

    def update(self):
        self.data = member(self.value, "data_")
        self.size = min(member(self.value, "size_").GetValueAsUnsigned(), 1 << 16)
        return False

    def num_children(self):
        return self.size

    def get_child_index(self, name):
        return int(name.strip("[]"))

    def get_child_at_index(self, index):
        of = self.data.GetType().GetPointeeType()
        place = self.data.GetValueAsUnsigned() + index * of.GetByteSize()
        return self.data.CreateValueFromAddress(f"[{index}]", place, of)


def __lldb_init_module(debugger, _):
    here = __name__

    names = "|".join(LINES)
    debugger.HandleCommand(f'type summary add -w catena -F {here}.line -x "^catena::({names})$"')
    debugger.HandleCommand(
        f'type synthetic add -w catena -l {here}.SmallVectorItems -x "^catena::SmallVector<.*>$"'
    )
    recognized = f"--recognizer-function {here}.may_be_link"
    result = lldb.SBCommandReturnObject()
    interpreter = debugger.GetCommandInterpreter()
    interpreter.HandleCommand(
        f"type summary add -w catena -e -F {here}.link_line {recognized}", result
    )
    if result.Succeeded():
        debugger.HandleCommand(f"type synthetic add -w catena -l {here}.LinkParts {recognized}")
    debugger.HandleCommand("type category enable catena")
