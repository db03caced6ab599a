# cmake -DREADME=... -DBUILD=... -DSOURCE=... -DCXX=... -DWORK=... -P readme.cmake: the first C++ program of the README as it is
# printed: compiled without a warning, linked with the build, and run.
file(READ ${README} text)
string(REGEX MATCH "\n```cpp\n(.*)" found "${text}")
if(NOT found)
    message(FATAL_ERROR "${README} has no program")
endif()
string(FIND "${CMAKE_MATCH_1}" "\n```\n" end)
string(SUBSTRING "${CMAKE_MATCH_1}" 0 ${end} code)
file(WRITE ${WORK}/readme.cpp "${code}\n")
execute_process(COMMAND ${CXX} -std=c++20 -O1 -Wall -Wextra -Werror readme.cpp -o readme -I${SOURCE}/frontend/include -I${SOURCE}
    -L${BUILD}/lib -Wl,-rpath,${BUILD}/lib -lcatena -lcatena_runtime -lfmt
    WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/readme OUTPUT_VARIABLE output COMMAND_ECHO NONE COMMAND_ERROR_IS_FATAL ANY)
set(loss "[0-9.e-]+\n")
if(NOT output MATCHES "^${loss}${loss}${loss}${loss}${loss}static_graph step ")
    message(FATAL_ERROR "it should print five losses and what the region did, not\n${output}")
endif()
