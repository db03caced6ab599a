# Read by ctest: each test of a suite whose name ends in InOwnProcess is a ctest. tests/CMakeLists.txt sets program, listing
# (a file of ours), name and the properties.
if(NOT EXISTS ${program})
    return()  # The other tests of the program say so.
endif()
if(${program} IS_NEWER_THAN ${listing})
    execute_process(COMMAND ${program} --gtest_list_tests --gtest_filter=*InOwnProcess.* OUTPUT_VARIABLE lines
                    RESULT_VARIABLE status TIMEOUT 60)
    if(status)
        message(FATAL_ERROR "${program} --gtest_list_tests failed: ${status}")
    endif()
    file(WRITE ${listing} "${lines}")
endif()
file(STRINGS ${listing} lines REGEX "InOwnProcess|^  ")
foreach(line IN LISTS lines)
    string(REGEX REPLACE " *#.*" "" line "${line}")
    if(line MATCHES "^  (.*)")
        set(case ${suite}${CMAKE_MATCH_1})
        string(REPLACE "/" "." file ${name}.${case})
        add_test(${name}.${case} ${program} --gtest_filter=${case})
        set_tests_properties(${name}.${case} PROPERTIES LABELS "${labels}" RUN_SERIAL ${serial} TIMEOUT ${timeout}
            WORKING_DIRECTORY ${directory} ENVIRONMENT "${environment};CATENA_TEST_REPORT=${reports}/${file}")
    else()
        set(suite ${line})
    endif()
endforeach()
