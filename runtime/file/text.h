#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/array/array.h"

namespace catena {

// Arrays in text files and in files of plain elements, under NumPy's names. Arrays with their type
// and shape are in .npy files: save and load (also save_npy and load_npy), several of them in .npz
// files (frontend/serializer/npz.h).

struct LoadText {
    Dtype dtype = Dtype::float32;
    std::string comments = "#";  ///< What follows this on a line is left out; "": nothing is.
    std::string delimiter = "";  ///< Between numbers; "": blanks.
    int64_t skip_rows = 0;       ///< Lines at the beginning that are left out, comments among them.
    int64_t skiprows = 0;        ///< The same under NumPy's name.
    std::vector<int64_t> columns =
        {};  ///< Only these, in this order, negative ones from the end; none: all.
    std::vector<int64_t> usecols = {};  ///< The same under NumPy's name.
    bool unpack = false;  ///< The transposed array: a row for each column of the file.
};
/// The numbers of a text file: [rows, columns], or [columns] of one row, [rows] of one column, and
/// [] of one number. Empty lines are left out, and a byte order
/// mark. FileError naming file, line and text for what is no
/// number of the dtype and for rows of other lengths.
Array loadtxt(const std::string& path, const LoadText& options = {});

struct SaveText {
    std::optional<int> digits =
        {};  ///< After the decimal point; none: as many as give the same number when read.
    std::string delimiter = " ";
    std::string header = "";  ///< Lines at the beginning, each as a comment.
    std::string comments = "# ";
};
/// A number, a vector (a number in each line) or a matrix (a row in each line); ShapeError for
/// others.
void savetxt(const std::string& path, const Array& array, const SaveText& options = {});

/// The numbers of a text, or with an empty separator its bytes as elements. A separator of one
/// blank is any white space. ValueError for what is no number, and where bytes do not make whole
/// elements.
Array fromstring(std::string_view text, Dtype dtype = Dtype::float32,
                 std::string_view separator = "");
/// Elements in the order of this machine's bytes, copied; `count` of them, -1: all, from byte
/// `offset` on.
Array frombuffer(std::span<const std::byte> bytes, Dtype dtype = Dtype::float32, int64_t count = -1,
                 int64_t offset = 0);
/// A file of plain elements, or with a separator of text. FileError where there are fewer than
/// `count`.
Array fromfile(const std::string& path, Dtype dtype = Dtype::float32, int64_t count = -1,
               std::string_view separator = "");
/// The elements alone, row by row: what fromfile reads.
void tofile(const std::string& path, const Array& array);

void save(const std::string& path, const Array& array);  ///< A .npy file.
Array load(const std::string& path);

}  // namespace catena
