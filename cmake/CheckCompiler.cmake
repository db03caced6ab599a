# What older compilers lack is C++20 that our headers are written in, std::source_location first of all: they would fail in the
# middle of the build, on a line that says nothing.
set(CATENA_OLDEST_GNU 11)
set(CATENA_OLDEST_Clang 16)
set(oldest ${CATENA_OLDEST_${CMAKE_CXX_COMPILER_ID}})
if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest)
    message(FATAL_ERROR "Catena needs g++ ${CATENA_OLDEST_GNU} or clang ${CATENA_OLDEST_Clang} at least (it is tested with g++ 12 and "
        "clang 22); ${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Give another: "
        "-DCMAKE_CXX_COMPILER=g++-12")
endif()
# Others, and a compiler with the standard library of an older one.
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-std=c++20")
check_cxx_source_compiles("#include <source_location>
    #include <span>
    int line(const std::source_location& at = std::source_location::current()) { return int(at.line()); }
    int main() { return line() == 0; }" CATENA_HAS_SOURCE_LOCATION)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT CATENA_HAS_SOURCE_LOCATION)
    message(FATAL_ERROR "Catena needs std::source_location of C++20, which ${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} "
        "${CMAKE_CXX_COMPILER_VERSION}) lacks with its standard library; take g++ ${CATENA_OLDEST_GNU} or clang "
        "${CATENA_OLDEST_Clang} at least")
endif()
