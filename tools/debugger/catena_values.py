"""What the formatters of gdb and lldb share: how elements lie in memory, and how they look."""

import re
import struct

SHOWN = 10
"""How many elements of an array are shown."""

ELEMENTS = {
    "bool_": "?",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "uint8": "B",
    "float16": "e",
    "bfloat16": "H",
    "float32": "f",
    "float64": "d",
}
"""The letters of Python's `struct` for dtypes."""


class Unreadable(Exception):
    """Memory that is no value: of a variable that is not constructed yet, or is destroyed."""


def bfloat16(bits):
    return struct.unpack("<f", struct.pack("<I", bits << 16))[0]


def float16(bits):
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def number_text(number, dtype):
    if dtype == "bool_":
        return "true" if number else "false"
    if dtype == "float64":
        return f"{number:.15g}"
    return f"{number:.7g}" if "float" in dtype else str(number)


def type_text(dtype, shape):
    if dtype not in ELEMENTS:
        raise Unreadable(f"dtype {dtype}")
    return dtype.rstrip("_") + shape_text(shape)


def shape_text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def first_indices(shape, count):
    """The first SHOWN indices in row-major order."""
    for position in range(min(count, SHOWN)):
        index = []
        for size in reversed(shape):
            index.insert(0, position % size)
            position //= size
        yield index


def elements_text(read, start, dtype, shape, strides):
    """The first elements, in row-major order; read(address, bytes) gives memory."""
    if len(strides) != len(shape):
        raise Unreadable(f"{len(shape)} sizes and {len(strides)} strides")
    letter = "<" + ELEMENTS[dtype]
    size, count, texts = struct.calcsize(letter), 1, []
    for length in shape:
        count *= length
    for index in first_indices(shape, count):
        place = start + size * sum(i * step for i, step in zip(index, strides, strict=True))
        (number,) = struct.unpack(letter, read(place, size))
        texts.append(number_text(bfloat16(number) if dtype == "bfloat16" else number, dtype))
    return "{" + ", ".join(texts) + (", ..." if count > SHOWN else "") + "}"


def plain_name(mangled):
    """The name of a class as it is written: "N6catena6LinearE" is catena::Linear."""
    mangled = mangled.lstrip("*")
    if local := re.fullmatch(r"Z.*?E(\d+\w+)", mangled):  # Of a function.
        mangled = local[1]
    rest, names = mangled.removeprefix("N"), []
    while found := re.match(r"(\d+)", rest):
        begin = found.end()
        names.append(rest[begin : begin + int(found[1])])
        rest = rest[begin + int(found[1]) :]
    names = ["(anonymous namespace)" if name == "_GLOBAL__N_1" else name for name in names]
    return "::".join(names) if names and rest in ("", "E") else mangled


def class_names(read, address, symbol_at):
    """The class of an object by its type information, then its first base, and so on to Link.

    read(address, bytes) gives memory, symbol_at(address) the name of what lies there.
    """

    def word(place):
        return struct.unpack("<Q", read(place, 8))[0]

    def name(information):
        place, text = word(information + 8), b""
        while not text.endswith(b"\0") and len(text) < 1000:
            text += read(place + len(text), 1)
        return plain_name(text[:-1].decode())

    # The word before the table of virtual functions points to the type information. That of the
    # base is its third word, or its fourth where there are several bases.
    information = word(word(address) - 8)
    names = [name(information)]
    while names[-1] != "catena::Link" and len(names) < 20:
        kind = symbol_at(word(information))
        if "__si_class_type_info" in kind:
            information = word(information + 16)
        elif "__vmi_class_type_info" in kind:
            information = word(information + 24)
        else:
            break
        names.append(name(information))
    return names
