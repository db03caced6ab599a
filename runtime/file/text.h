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

/// Options of loadtxt.
struct LoadText {
    /// The dtype of the result.
    Dtype dtype = Dtype::float32;
    /// The beginning of a comment, which is left out up to the end of its line; "": there are no
    /// comments.
    std::string comments = "#";
    std::string delimiter = "";  ///< The text between numbers; "": blanks.
    /// Number of lines at the beginning that are left out, comments included.
    int64_t skip_rows = 0;
    int64_t skiprows = 0;  ///< NumPy's name of `skip_rows`.
    /// The columns to read, in this order; negative ones count from the end. Empty: all.
    std::vector<int64_t> columns = {};
    std::vector<int64_t> usecols = {};  ///< NumPy's name of `columns`.
    bool unpack = false;  ///< Returns the transposed array: a row for each column of the file.
};
/// The numbers of a text file: [rows, columns], or [columns] of one row, [rows] of one column, and
/// [] of one number. Empty lines are left out, and a byte order
/// mark. FileError naming file, line and text for what is no
/// number of the dtype and for rows of other lengths.
Array loadtxt(const std::string& path, const LoadText& options = {});

/// Options of savetxt.
struct SaveText {
    /// Digits after the decimal point; none: as many as give the same number when read.
    std::optional<int> digits = {};
    /// The text between the numbers of a row.
    std::string delimiter = " ";
    std::string header = "";  ///< Lines written at the beginning, each as a comment.
    /// The beginning of each line of the header.
    std::string comments = "# ";
};
/// Writes a number, a vector (a number in each line) or a matrix (a row in each line) as text;
/// ShapeError for others.
void savetxt(const std::string& path, const Array& array, const SaveText& options = {});

/// The numbers of a text, or with an empty separator its bytes as elements. A separator of one
/// blank is any white space. ValueError for what is no number, and where bytes do not make whole
/// elements.
Array fromstring(std::string_view text, Dtype dtype = Dtype::float32,
                 std::string_view separator = "");
/// An array with a copy of `count` elements (-1: all), which lie in this machine's byte order from
/// byte `offset` on.
Array frombuffer(std::span<const std::byte> bytes, Dtype dtype = Dtype::float32, int64_t count = -1,
                 int64_t offset = 0);
/// Reads a file of plain binary elements or, with a separator, of text. FileError where there are
/// fewer than `count` elements.
Array fromfile(const std::string& path, Dtype dtype = Dtype::float32, int64_t count = -1,
               std::string_view separator = "");
/// Writes the elements alone, row by row, as fromfile() reads them.
void tofile(const std::string& path, const Array& array);

/// Writes the array as a .npy file.
void save(const std::string& path, const Array& array);
/// An array from a .npy file, as load_npy.
Array load(const std::string& path);

}  // namespace catena
