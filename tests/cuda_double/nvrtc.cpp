// A double of NVRTC whose machine code is the text itself: driver.cpp has it compiled for the host.
#include <cstring>
#include <string>

extern "C" {

int nvrtcVersion(int* major, int* minor) { return *major = 0, *minor = 1, 0; }
int nvrtcGetNumSupportedArchs(int* count) { return *count = 1, 0; }
int nvrtcGetSupportedArchs(int* known) { return *known = 90, 0; }
const char* nvrtcGetErrorString(int) { return "so says the double"; }

int nvrtcCreateProgram(void** program, const char* text, const char*, int, const char* const*,
                       const char* const*) {
    *program = new std::string(text);
    return 0;
}
int nvrtcDestroyProgram(void** program) {
    delete static_cast<std::string*>(*program);
    return 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) { return 0; }
int nvrtcGetProgramLogSize(void*, size_t* size) { return *size = 0, 0; }
int nvrtcGetProgramLog(void*, char*) { return 0; }
int nvrtcGetCUBINSize(void* program, size_t* size) {
    *size = static_cast<std::string*>(program)->size() + 1;
    return 0;
}
int nvrtcGetCUBIN(void* program, char* code) {
    const std::string& text = *static_cast<std::string*>(program);
    std::memcpy(code, text.c_str(), text.size() + 1);
    return 0;
}
int nvrtcGetPTXSize(void* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(void* program, char* code) { return nvrtcGetCUBIN(program, code); }
}
