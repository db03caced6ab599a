# What a program loads, as the loader tells it: for tests that what is given to users needs nothing but what every Debian has.

# Libraries that every Debian has (scripts/release/libraries.txt).
function(list_base_libraries result)
    file(STRINGS ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../scripts/release/libraries.txt base REGEX " base$")
    list(TRANSFORM base REPLACE " .*" "")
    set(${result} ${base} PARENT_SCOPE)
endfunction()

# run_traced(RESULT WORK PROGRAM COMMAND...): runs the command in an empty environment with a home in the folder WORK. RESULT
# becomes the files that processes of PROGRAM load there; of an empty one: all processes.
function(run_traced result work program)
    file(REMOVE_RECURSE ${work}/loaded)
    file(MAKE_DIRECTORY ${work}/loaded ${work}/home)
    execute_process(COMMAND env -i HOME=${work}/home LD_DEBUG=libs LD_DEBUG_OUTPUT=${work}/loaded/by ${ARGN}
                    COMMAND_ERROR_IS_FATAL ANY)
    file(GLOB traces ${work}/loaded/by.*)
    set(all)
    foreach(trace IN LISTS traces)
        file(STRINGS ${trace} begun REGEX "initialize program: ${program}")
        if(NOT begun)
            continue()
        endif()
        file(STRINGS ${trace} loaded REGEX "calling init: ")
        list(TRANSFORM loaded REPLACE ".*calling init: " "")
        list(APPEND all ${loaded})
    endforeach()
    list(REMOVE_DUPLICATES all)
    if(NOT all)
        message(FATAL_ERROR "the loader wrote nothing down of ${ARGN}")
    endif()
    set(${result} ${all} PARENT_SCOPE)
endfunction()
