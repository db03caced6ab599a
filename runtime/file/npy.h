#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/file/file.h"
#include "runtime/core/array/array.h"

namespace catena {

/// The header of a .npy file.
struct NpyHeader {
    std::string descr;  ///< The dtype as NumPy writes it: "<f4", "|O".
    /// Whether the first index runs fastest.
    bool fortran_order = false;
    /// The sizes of the axes.
    std::vector<uint64_t> shape;
    /// Whether its elements are Python's objects.
    bool is_object() const { return descr.size() >= 2 && descr[1] == 'O'; }
    /// Whether the file holds one text, not an array of them.
    bool is_text() const;
};

/// Reads and checks the header. FileError naming file, offset and what was expected.
NpyHeader read_npy_header(ByteSource& source);

/// An array in NumPy's format 1.0 to 3.0, either byte order, C or Fortran order. Unsigned 16- and
/// 32-bit integers are widened, as Catena lacks them; those of 64 bits are int64, and a FileError
/// where one is 2^63 or more. Everything is checked before memory for the
/// elements is allocated. Undefined for an object array of shape (), which is how NumPy writes
/// None; other objects are a FileError.
Array read_npy(ByteSource& source);
/// read_npy() of a file.
Array load_npy(const std::string& path);

/// Reads a 0-d array of text, dtype "<U..." or "|S...", as UTF-8.
std::string read_npy_text(ByteSource& source);

/// Receives the bytes of a file piece by piece.
using ByteSink = std::function<void(const void* from, size_t bytes)>;
/// Writes an array in format 1.0, row-major. bfloat16, which NumPy lacks, is written as float32; an
/// undefined array as None.
void write_npy(const Array& array, const ByteSink& sink);
/// Writes a text as a 0-d array of dtype "<U...", as NumPy makes of a str.
void write_npy_text(std::string_view utf8, const ByteSink& sink);
/// write_npy() to a file, which is replaced atomically.
void save_npy(const std::string& path, const Array& array);

}  // namespace catena
