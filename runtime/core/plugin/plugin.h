#pragma once

#include <string>
#include <string_view>

namespace catena {

/// The result of a search for a plug-in: a module whose libraries the runtime itself must not
/// depend on.
struct PlugIn {
    void* entry = nullptr;  ///< Address of the entry function; null when there is none.
    std::string file;       ///< The file that was loaded or expected.
    std::string problem;    ///< The reason why `entry` is null: "no MPI plug-in found in ...; ...".
};

/// Loads the plug-in libcatena_NAME.so, once, and finds its function `entry`, whose name carries
/// the version of the interface ("catena_mpi_plug_in_1"). The first folder of CATENA_PLUGIN_PATH
/// (separated by colons) that has the file is taken, else the folder of this library. `title` and
/// `remedy` are for the message: "no TITLE plug-in found in FOLDERS; REMEDY or set
/// CATENA_PLUGIN_PATH".
const PlugIn& find_plug_in(std::string_view name, const char* entry, std::string_view title,
                           std::string_view remedy);

}  // namespace catena
