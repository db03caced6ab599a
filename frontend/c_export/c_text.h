#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/dtype/dtype.h"

namespace catena {

/// An element text (runtime/ops/declare/device_form.h) as C: casts in C's form, constants as
/// enumerators, and each local function (a single return) as a macro.
struct CElementText {
    std::string body;
    std::vector<std::string> macros;  ///< Macros that must be undefined (#undef) after the text.
};
/// Translates an element text to C; ValueError naming what has no form in C.
CElementText c_element_text(std::string_view text);

/// Whether `text` contains `word` as a whole word.
bool has_word(std::string_view text, std::string_view word);

/// C type of a stored element: "float", "uint16_t" for a half.
const char* c_type(Dtype dtype);

/// The number as a C literal that reads back to the same bits.
std::string c_number(double value);
std::string c_string(const std::string& text);
/// `text` escaped for a comment.
std::string c_comment(std::string text);

}  // namespace catena
