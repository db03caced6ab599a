# The examples within Catena's own build; by themselves they are a project that needs nothing of this (examples/CMakeLists.txt).
# Below it <catena/catena.h>, <catena/frontend/...> and <catena/runtime/...> are found, as in an installation.
set(catena_as_installed ${PROJECT_BINARY_DIR}/as_installed)
file(MAKE_DIRECTORY ${catena_as_installed}/catena)
foreach(part IN ITEMS catena.h:frontend/include/catena/catena.h frontend:frontend runtime:runtime codegen:codegen)
    string(REGEX MATCH "(.+):(.+)" part ${part})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2} ${catena_as_installed}/catena/${CMAKE_MATCH_1} SYMBOLIC)
endforeach()

# catena_example_target(TARGET): of a program or a library of an example.
function(catena_example_target target)
    target_include_directories(${target} PRIVATE ${catena_as_installed})
    catena_target(${target})
    catena_of_programs(${target})
    catena_reuse(${target} catena_user_headers)
    if(TARGET catena_compiler)
        add_dependencies(${target} catena_compiler)  # loaded at the first compilation, not linked
    endif()
endfunction()
add_subdirectory(${PROJECT_SOURCE_DIR}/examples)
