#pragma once

#include <string>
#include <string_view>

namespace catena {

/// `name` as the name of one file or folder: letters, digits, '-', '_' and '.' stay, anything else
/// becomes '_'. Never empty, "." or "..", nor longer than 100 bytes. A changed name ends in a hash
/// of `name`, so that distinct names stay distinct.
std::string file_name_of(std::string_view name);

}  // namespace catena
