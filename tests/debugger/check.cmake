# cmake -DBUILD=... -DWORK=... -DCXX=... -DHERE=... -P check.cmake: installs the build, and looks at a program that was built against it with gdb,
# which finds the formatters by itself, and with lldb; then once more with libraries without debug information, as packages have
# them. And valgrind runs the smallest example, with those libraries and with these.
function(run)
    execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
find_program(found_gdb gdb)
find_program(found_lldb NAMES lldb lldb-22 lldb-21 lldb-20 lldb-19)
find_program(found_valgrind valgrind)
if(NOT found_gdb AND NOT found_lldb AND NOT found_valgrind)
    message(STATUS "skipped: there is no gdb, no lldb and no valgrind")
    return()
endif()
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
set(installed ${WORK}/installed)
set(with_catena -std=c++20 -I${installed}/include -L${installed}/lib -lcatena -lcatena_runtime -lfmt -Wl,-rpath,${installed}/lib)
run(${CXX} -g -O0 ${HERE}/program.cpp -o ${WORK}/program ${with_catena})

# What both say, with what differs: gdb tells "name = value", lldb "(type) value".
set(lines
    "array|float32[3] on cpu {1.5, -2, 3}"
    "matrix|int32[3,4] on cpu {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...}"
    "columns|int32[4,3] on cpu {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, ...}"
    "flags|bool[2] on cpu {true, false}"
    "halves|float16[2] on cpu {0.5, -4}"
    "brains|bfloat16[2] on cpu {0.5, -4}"
    "none|undefined"
    "empty|float64[2,0] on cpu {}"
    "described|int8[5] on meta"
    "x|float32[3] on cpu {1.5, -2, 3}, gradient float32[3] on cpu {3, -4, 6}"
    "y|float32[] on cpu {15.25}, gradient none"
    "constant|float32[3] on cpu {1.5, -2, 3}"
    "unset|undefined"
    "shape|[2,3,4]"
    "dtype|bfloat16"
    "scalar|2.5")
set(number "-?[0-9.e-]+")
set(linear "catena::Linear( =)? {[ \n]*W = '/l1/W' float32.3,2. on cpu {${number}, .*}, gradient float32.3,2. on cpu {.*}[, \n]+b = '/l1/b' float32.3. on cpu {0, 0, 0}, gradient float32.3. on cpu {.*}[ \n]*}")
set(tree "Net( =)? {[ \n]*l1 = ${linear}[, \n]+layers = Layers( =)? {[ \n]*0 = catena::Linear.*'/layers/0/W' float32.2,3.*[ \n]1 = catena::Linear.*'/layers/1/b' float32.1. on cpu {0}, gradient float32.1. on cpu {1}[ \n}, ]+calls = 7[ \n]*}")
set(sequential "catena::Sequential( =)? {[ \n]*0 = catena::Linear( =)? {[ \n]*W = '/0/W' float32.2,2. on cpu {.*}, gradient none")

# expect_lines(OUTPUT DEBUGGER): each value is told as it should be.
function(expect_lines output debugger)
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([a-z]+)\\|(.*)$" line "${line}")
        string(FIND "${output}" "print ${CMAKE_MATCH_1}\n" begin)
        string(SUBSTRING "${output}" ${begin} 300 told)
        string(FIND "${told}" "\n" begin)
        math(EXPR begin "${begin} + 1")
        string(SUBSTRING "${told}" ${begin} -1 told)
        string(REGEX REPLACE "\n.*" "" told "${told}")
        string(LENGTH "${CMAKE_MATCH_2}" length)
        string(LENGTH "${told}" all)
        math(EXPR begin "${all} - ${length}")
        if(begin GREATER 0)
            string(SUBSTRING "${told}" ${begin} -1 end)
        endif()
        if(NOT end STREQUAL "${CMAKE_MATCH_2}")
            message(FATAL_ERROR "${debugger} should show ${CMAKE_MATCH_1} as ${CMAKE_MATCH_2}, it says '${told}':\n${output}")
        endif()
    endforeach()
endfunction()
function(expect_links output debugger)
    foreach(what IN ITEMS tree sequential linear)
        if(NOT output MATCHES "${${what}}")
            message(FATAL_ERROR "${debugger} should show a ${what}: ${${what}}, it says\n${output}")
        endif()
    endforeach()
endfunction()
function(expect_missing output debugger)
    if(NOT output MATCHES "catena::Link is described nowhere: install Catena's -dbgsym package" AND debugger STREQUAL "gdb")
        message(FATAL_ERROR "${debugger} should say what a link needs to be shown:\n${output}")
    endif()
    if(output MATCHES "Traceback|Python Exception|AttributeError")
        message(FATAL_ERROR "${debugger} fails on what is described nowhere:\n${output}")
    endif()
endfunction()

# ask(RESULT DEBUGGER): what it prints.
set(expressions)
foreach(line IN LISTS lines)
    string(REGEX REPLACE "\\|.*" "" name "${line}")
    list(APPEND expressions ${name})
endforeach()
list(APPEND expressions net net.l1 sequential)
function(ask result debugger)
    set(commands)
    if(debugger STREQUAL "gdb")
        set(ask ${found_gdb} -nx -batch -iex "add-auto-load-safe-path ${installed}"
            -iex "add-auto-load-scripts-directory ${installed}/share/gdb/auto-load" -ex "break look" -ex run -ex up)
        foreach(name IN LISTS expressions)
            list(APPEND ask -ex "echo print ${name}\\n" -ex "print ${name}")
        endforeach()
    else()
        set(ask ${found_lldb} --no-lldbinit --batch -o "command script import ${installed}/share/catena/debugger/catena_lldb.py"
            -o "breakpoint set -n look" -o run -o up)
        foreach(name IN LISTS expressions)
            list(APPEND ask -o "print ${name}")
        endforeach()
    endif()
    execute_process(COMMAND ${ask} ${WORK}/program OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(output MATCHES "ptrace|personality.*not permitted|Operation not permitted" AND NOT output MATCHES "print array\n[^\n]*cpu")
        message(STATUS "skipped: ${debugger} may not run programs here")
        set(output "")
    endif()
    set(${result} "${output}" PARENT_SCOPE)
endfunction()

set(debuggers)
foreach(debugger IN ITEMS gdb lldb)
    if(found_${debugger})
        ask(output ${debugger})
        if(output)
            list(APPEND debuggers ${debugger})
            expect_lines("${output}" ${debugger})
            if(debugger STREQUAL "gdb" OR output MATCHES "Net {")
                expect_links("${output}" ${debugger})
            endif()
        endif()
    endif()
endforeach()

# valgrind(): the smallest example runs in it, without an error.
run(${CXX} -O1 ${HERE}/../../examples/hello/main.cpp -o ${WORK}/hello ${with_catena})
function(run_in_valgrind)
    if(found_valgrind)
        execute_process(COMMAND ${found_valgrind} --error-exitcode=9 --leak-check=full
            --suppressions=${installed}/share/catena/debugger/catena.supp ${WORK}/hello
            OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
        if(NOT status EQUAL 0 OR NOT output MATCHES "step 300: loss 0.00" OR NOT output MATCHES "ERROR SUMMARY: 0 errors")
            message(FATAL_ERROR "valgrind ends with ${status}:\n${output}")
        endif()
    endif()
endfunction()
run_in_valgrind()

find_program(found_strip strip)
if(found_strip)
    file(GLOB libraries ${installed}/lib/libcatena*.so.*.*.*)
    run(${found_strip} ${libraries})
    foreach(debugger IN LISTS debuggers)
        ask(output ${debugger})
        expect_lines("${output}" ${debugger})
        expect_missing("${output}" ${debugger})
    endforeach()
    run_in_valgrind()
endif()
file(REMOVE_RECURSE ${WORK})
