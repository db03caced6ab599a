# Whether the Python package is built: where the interpreter has its headers, NumPy and nanobind. -DPython_EXECUTABLE names
# another interpreter, as that of a virtual environment.
set(CATENA_HAS_PYTHON OFF)
if(NOT CATENA_PYTHON STREQUAL "OFF")
    set(wanted COMPONENTS Interpreter Development.Module NumPy)
    find_package(Python 3.11 QUIET ${wanted})
    if(Python_Interpreter_FOUND)
        execute_process(COMMAND ${Python_EXECUTABLE} -c "import nanobind" RESULT_VARIABLE nanobind_missing ERROR_QUIET)
    endif()
    if(Python_Development.Module_FOUND AND Python_NumPy_FOUND AND nanobind_missing EQUAL 0 AND NOT CATENA_SANITIZE)
        set(CATENA_HAS_PYTHON ON)
    elseif(CATENA_PYTHON STREQUAL "ON")
        message(FATAL_ERROR "CATENA_PYTHON=ON needs Python 3.11 or newer with its headers (Debian: python3-dev), NumPy and nanobind "
                            "(pip install nanobind numpy); found: interpreter ${Python_VERSION} ${Python_EXECUTABLE}, headers "
                            "${Python_Development.Module_FOUND}, NumPy ${Python_NumPy_FOUND}, and no sanitizer may be on")
    endif()
endif()
message(STATUS "catena: Python package ${CATENA_HAS_PYTHON}")
