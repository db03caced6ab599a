# What debuggers show of Catena's types (tools/debugger), and what valgrind passes over.
set(debugger_folder ${CMAKE_INSTALL_DATADIR}/catena/debugger)
install(FILES tools/debugger/catena_gdb.py tools/debugger/catena_lldb.py tools/debugger/catena_values.py tools/debugger/catena.supp
        DESTINATION ${debugger_folder} COMPONENT dev)
# gdb loads FOLDER/LIBRARY-gdb.py with LIBRARY, where FOLDER is its own data folder, share/gdb/auto-load, and LIBRARY an absolute
# path, which is known when it is installed.
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/catena-gdb.py CONTENT "\"\"\"gdb loads this with the library of this name.\"\"\"

import pathlib
import runpy

import gdb

# In ../.. of it are share/gdb/auto-load/PREFIX/lib, and in PREFIX the formatters.
prefix = pathlib.Path(gdb.current_objfile().filename).parent
while prefix != prefix.parent:
    formatters = prefix / \"${debugger_folder}/catena_gdb.py\"
    if formatters.exists():
        runpy.run_path(str(formatters))
        break
    prefix = prefix.parent
")
install(CODE "
set(folder \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
file(INSTALL DESTINATION \"\${folder}\" TYPE FILE RENAME \"$<TARGET_FILE_NAME:catena_runtime>-gdb.py\"
     FILES \"${PROJECT_BINARY_DIR}/catena-gdb.py\")
" COMPONENT dev)
