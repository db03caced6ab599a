# The fmt that this release brings: its headers are included by Catena's.
if(NOT TARGET fmt::fmt)
    get_filename_component(fmt_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
    add_library(fmt::fmt SHARED IMPORTED)
    set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION ${fmt_prefix}/lib/@LIBRARY@
        INTERFACE_INCLUDE_DIRECTORIES ${fmt_prefix}/include INTERFACE_COMPILE_DEFINITIONS FMT_SHARED)
    add_library(fmt::fmt-header-only INTERFACE IMPORTED)
    set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${fmt_prefix}/include
        INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
endif()
