"""What gdb shows of Catena's types: an Array by its elements, a Link as a tree of parameters.

gdb loads it with an installed libcatena_runtime; by hand: `source .../catena_gdb.py`.
It reads memory only, and calls nothing of the program, so it works on core files, too.
"""

import os
import re
import struct
import sys

import gdb

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


def type_named(name):
    """The type of this name, of whichever library or program describes it."""
    try:
        return gdb.lookup_type(name)
    except gdb.error:
        raise Unreadable(f"{name} is described nowhere: install Catena's -dbgsym package") from None


def member(value, name):
    """A member, also of a base class."""
    try:
        return value[name]
    except gdb.error as error:
        raise Unreadable(str(error)) from None


def memory(address, length):
    return bytes(gdb.selected_inferior().read_memory(address, length))


def object_at(address, of):
    """The object of a type at an address.

    By an array of one: dereference() asks for the object's class, and warns where that is described
    nowhere.
    """
    return gdb.Value(address).cast(of.array(0).pointer()).dereference()[0]


def pointee(value):
    """What a Ref, an Owned or a pointer points to; None where it is null."""
    if value.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        value = member(value, "object_")
    if not int(value):
        return None
    of = value.type.strip_typedefs().target()
    if not of.strip_typedefs().fields():
        raise Unreadable(f"{of} is described nowhere: install Catena's -dbgsym package")
    return object_at(int(value), of)


def text_of(string):
    """The content of a std::string of libstdc++."""
    data, length = string["_M_dataplus"]["_M_p"], int(string["_M_string_length"])
    if not 0 <= length < 1 << 20:
        raise Unreadable(f"a string of {length} characters")
    return data.string("utf-8", "replace", length) if length else ""


def items_of(vector):
    """The items of a std::vector of libstdc++."""
    begin, end = vector["_M_impl"]["_M_start"], vector["_M_impl"]["_M_finish"]
    count = int(end - begin)
    if not 0 <= count < 1 << 20:
        raise Unreadable(f"a vector of {count} items")
    return [(begin + i).dereference() for i in range(count)]


# Numbers, dtypes and shapes.


def dtype_name(dtype):
    names = [f.name for f in dtype.type.strip_typedefs().fields() if f.enumval == int(dtype)]
    name = names[0].rsplit("::", 1)[-1] if names else ""
    if name not in ELEMENTS:
        raise Unreadable(f"dtype {int(dtype)}")
    return name


def numbers_of(dims):
    rank = int(member(dims, "rank_"))
    if not 0 <= rank <= 8:
        raise Unreadable(f"rank {rank}")
    return [int(dims["values_"][i]) for i in range(rank)]


def type_of(body):
    return type_text(dtype_name(body["dtype"]), numbers_of(body["shape"]))


# Arrays and variables.


def array_text(array):
    body = pointee(member(array, "body_"))
    if body is None:
        return "undefined"
    text = type_of(body["type"])
    if int(body["pending"]):
        return text + ", not computed yet: a static region records"
    storage = pointee(body["storage"])
    if storage is None:
        return text + " without memory"
    device = pointee(storage["device"])
    if device is None:
        return text + " without a device"
    name = text_of(member(device, "name_"))
    text += " on " + name
    if not device["is_host_"]:
        return text
    dtype, shape = dtype_name(body["type"]["dtype"]), numbers_of(body["type"]["shape"])
    start = int(storage["data"]) + int(body["offset"]) * struct.calcsize("<" + ELEMENTS[dtype])
    strides = numbers_of(body["strides"])
    return text + " " + elements_text(memory, start, dtype, shape, strides)


def variable_text(variable):
    body = pointee(member(variable, "body_"))
    if body is None:
        return "undefined"
    text = array_text(body["array"])
    name = pointee(body["name"])
    if name is not None and text_of(name):
        text = f"'{text_of(name)}' {text}"
    if body["requires_grad"]:
        gradient = pointee(body["grad"])
        text += ", gradient " + (array_text(gradient["array"]) if gradient is not None else "none")
    return text


class Text:
    """Shows a value as a line."""

    def __init__(self, value, text):
        self.value, self.text = value, text

    def to_string(self):
        try:
            return self.text(self.value)
        except (Unreadable, gdb.error) as error:
            return f"not a value ({error})"


# Links.


def classes_of(address):
    """The names of an object's class and of its first bases."""

    def symbol_at(place):
        return gdb.execute(f"info symbol {place}", to_string=True)

    return class_names(memory, int(address), symbol_at)


def derives_from_link(of):
    """Whether a class is a Link, as far as the debug information tells."""
    if of.name == "catena::Link":
        return True
    return any(f.is_base_class and derives_from_link(f.type.strip_typedefs()) for f in of.fields())


def link_in(value):
    """The Link that an object of a derived class is; None where it is none."""
    of = value.type.strip_typedefs()
    if of.name == "catena::Link":
        return value
    for field in of.fields():
        link = link_in(value[field]) if field.is_base_class else None
        if link is not None:
            return link
    return None


def is_link(value):
    """Whether a value is of a class that derives from Link."""
    of = value.type.strip_typedefs()
    if of.code != gdb.TYPE_CODE_STRUCT:
        return False
    if of.fields():
        return derives_from_link(of)
    # Of Catena's own classes a program knows the names alone.
    if value.address is None or not (of.name or "").startswith("catena::"):
        return False
    try:
        return "catena::Link" in classes_of(value.address)
    except gdb.error:
        return False


def parts_of(link):
    """Names and values of a link's parameters, persistent states and children."""
    link_type, parameter = type_named("catena::Link"), type_named("catena::Parameter")
    for entry in items_of(member(link, "entries_")):
        kind = str(entry["kind"]).rsplit("::", 1)[-1]
        of = {"param": parameter, "persistent": type_named("catena::State")}.get(kind, link_type)
        if int(entry["part"]):
            yield text_of(entry["name"]), object_at(int(entry["part"].cast(of.pointer())), of)
    classes = classes_of(link.address)
    for name, owned in (("catena::ChainList", "links_"), ("catena::Sequential", "layers_")):
        if name not in classes:
            continue
        holder = object_at(int(link.address), type_named(name))
        for number, item in enumerate(items_of(holder[owned])):
            child = pointee((item["link"] if owned == "layers_" else item)["link_"])
            if child is not None:
                yield str(number), child


def own_members(value):
    """The members of a user's class that are neither links nor parameters."""
    of = value.type.strip_typedefs()
    listed = re.compile(r"catena::(Parameter|State)$")
    for field in of.fields():
        if field.is_base_class or not field.name or not hasattr(field, "bitpos"):
            continue
        kind = field.type.strip_typedefs()
        if kind.name and listed.match(kind.name):
            continue
        part = value[field]
        if not is_link(part):
            yield field.name, part


class LinkShown:
    """Shows a link as its class with its parts, nested."""

    def __init__(self, value):
        self.value = value

    def link(self):
        of = self.value.type.strip_typedefs()
        if of.fields():
            return link_in(self.value)
        return object_at(int(self.value.address), type_named("catena::Link"))

    def to_string(self):
        try:
            return classes_of(self.link().address)[0]
        except (Unreadable, gdb.error) as error:
            return f"not a value ({error})"

    def children(self):
        try:
            yield from parts_of(self.link())
            of = self.value.type.strip_typedefs().name or ""
            if not of.startswith("catena::"):
                yield from own_members(self.value)
        except (Unreadable, gdb.error) as error:
            yield "not read", str(error)


class SmallVectorShown:
    """Shows a SmallVector as a list."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{int(self.value['size_'])} items"

    def children(self):
        for i in range(min(int(self.value["size_"]), 1 << 16)):
            yield f"[{i}]", (self.value["data_"] + i).dereference()

    def display_hint(self):
        return "array"


def cell_text(cell):
    body = pointee(cell["body_"])
    return "moved from" if body is None else number_text(float(body["value"]), "float64")


def scalar_text(scalar):
    cell = pointee(scalar["cell_"])
    return number_text(float(scalar["value_"] if cell is None else cell["value"]), "float64")


LINES = {
    "Array": array_text,
    "Variable": variable_text,
    "State": variable_text,
    "Parameter": variable_text,
    "Dims": lambda dims: shape_text(numbers_of(dims)),
    "Type": type_of,
    "Dtype": lambda dtype: dtype_name(dtype).rstrip("_"),
    "Cell": cell_text,
    "Scalar": scalar_text,
    "Half": lambda half: number_text(float16(int(half["bits"])), "float16"),
    "BFloat16": lambda value: number_text(bfloat16(int(value["bits"])), "bfloat16"),
    "Device": lambda device: text_of(device["name_"]),
}


def shown(value):
    """The printer of a value, for gdb; None where it is not Catena's."""
    of = value.type.strip_typedefs()
    if of.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_ENUM):
        return None
    name = of.name or ""
    if name.startswith("catena::"):
        text = LINES.get(name.removeprefix("catena::"))
        if text:
            return Text(value, text)
        if name.startswith("catena::SmallVector<"):
            return SmallVectorShown(value)
    return LinkShown(value) if is_link(value) else None


shown.name = "catena"


def register(where=None):
    """Registers the printers, for one library or for all; once."""
    printers = (where or gdb).pretty_printers
    printers[:] = [p for p in printers if getattr(p, "name", "") != shown.name]
    printers.insert(0, shown)


register()
