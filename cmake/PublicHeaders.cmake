# cmake -DSOURCE=... -DTO=... -DHEADERS=a.h;b.h -P PublicHeaders.cmake: the headers that users include, below TO/catena. In the
# source tree they include each other from the root ("runtime/core/array/array.h"); for users everything lies below catena/, so that
# one include folder is enough and a user's own runtime/core/array/array.h is another file.
foreach(header IN LISTS HEADERS)
    file(READ ${SOURCE}/${header} text)
    string(REGEX REPLACE "#include \"(runtime|frontend|codegen)/" "#include \"catena/\\1/" text "${text}")
    if(header STREQUAL "frontend/include/catena/catena.h")
        set(header catena.h)
    elseif(header STREQUAL "runtime/capi.h")
        file(WRITE ${TO}/catena/capi.h "${text}")
    endif()
    file(WRITE ${TO}/catena/${header} "${text}")
endforeach()
