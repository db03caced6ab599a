# catena_man_page(NAME COMPONENT WHAT [ONLY regex] [DEPENDS ...] COMMAND ...): NAME.1.gz, made of what COMMAND says with --help
# (scripts/man_page.sh), is installed with the component. Programs for another machine cannot be asked.
find_program(CATENA_GZIP gzip)
mark_as_advanced(CATENA_GZIP)
function(catena_man_page name component what)
    cmake_parse_arguments(ARG "" "ONLY" "COMMAND;DEPENDS" ${ARGN})
    if(CMAKE_CROSSCOMPILING OR NOT CATENA_GZIP)
        return()
    endif()
    set(only)
    if(ARG_ONLY)
        set(only --only ${ARG_ONLY})
    endif()
    set(script ${PROJECT_SOURCE_DIR}/scripts/man_page.sh)
    set(page ${PROJECT_BINARY_DIR}/man/${name}.1)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
    # A file in between, so that a program that fails is no page.
    add_custom_command(
        OUTPUT ${page}.gz
        COMMAND sh ${script} ${name} ${PROJECT_VERSION} ${what} ${only} ${ARG_COMMAND} > ${page}
        COMMAND ${CATENA_GZIP} -9nf ${page}
        DEPENDS ${script} ${ARG_DEPENDS} COMMENT "The man page of ${name}" VERBATIM)
    add_custom_target(${name}_man_page ALL DEPENDS ${page}.gz)
    install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()
