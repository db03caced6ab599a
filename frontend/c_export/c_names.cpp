#include "frontend/c_export/c_names.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "runtime/core/system/ascii.h"

namespace catena {
namespace {

constexpr const char* keywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return "
    "co_yield compl concept const const_cast consteval constexpr constinit continue decltype "
    "default delete do double dynamic_cast else "
    "enum explicit export extern false float for fortran friend goto if inline int long mutable "
    "namespace new noexcept not not_eq nullptr "
    "operator or or_eq private protected public register reinterpret_cast requires restrict return "
    "short signed sizeof static "
    "static_assert static_cast struct switch template this thread_local throw true try typedef "
    "typeid typename typeof typeof_unqual union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Functions of math.h, of which each has two more, for float and long double.
constexpr const char* numeric_functions =
    "acos acosh asin asinh atan atan2 atanh canonicalize cbrt ceil copysign cos cosh drem erf erfc "
    "exp exp10 exp2 expm1 fabs fdim finite "
    "floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmin fminimum "
    "fminimum_mag fminimum_mag_num fminimum_num "
    "fminmag fmod frexp fromfp fromfpx gamma getpayload hypot ilogb isinf isnan j0 j1 jn ldexp "
    "lgamma llogb llrint llround log log10 log1p "
    "log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow remainder "
    "remquo rint round roundeven scalb "
    "scalbln scalbn setpayload setpayloadsig significand sin sincos sinh sqrt tan tanh tgamma "
    "totalorder totalordermag trunc ufromfp "
    "ufromfpx y0 y1 yn";

/// What else <math.h>, <stdbool.h>, <stddef.h>, <stdint.h>, <stdio.h> and <string.h> declare or
/// define.
constexpr const char* of_headers =
    "BUFSIZ EOF FILE HUGE_VAL HUGE_VALF HUGE_VALL INFINITY L_ctermid L_tmpnam MATH_ERREXCEPT "
    "MATH_ERRNO NAN NULL P_tmpdir SEEK_CUR "
    "SEEK_END SEEK_SET asprintf basename bcmp bcopy bzero clearerr clearerr_unlocked "
    "cookie_io_functions_t ctermid cuserid daddl ddivl "
    "dfmal dmull double_t dprintf dsqrtl dsubl explicit_bzero fadd faddl fclose fcloseall fdiv "
    "fdivl fdopen feof feof_unlocked ferror "
    "ferror_unlocked fflush fflush_unlocked ffma ffmal ffs ffsl ffsll fgetc fgetc_unlocked fgetpos "
    "fgetpos64 fgets fgets_unlocked fileno "
    "fileno_unlocked float_t flockfile fmemopen fmul fmull fopen fopen64 fopencookie fpclassify "
    "fpos64_t fpos_t fprintf fputc "
    "fputc_unlocked fputs fputs_unlocked fread fread_unlocked freopen freopen64 fscanf fseek "
    "fseeko fseeko64 fsetpos fsetpos64 fsqrt "
    "fsqrtl fsub fsubl ftell ftello ftello64 ftrylockfile funlockfile fwrite fwrite_unlocked getc "
    "getc_unlocked getchar getchar_unlocked "
    "getdelim getline getw index int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t "
    "int_fast64_t int_fast8_t int_least16_t "
    "int_least32_t int_least64_t int_least8_t intmax_t intptr_t isfinite isgreater isgreaterequal "
    "isless islessequal islessgreater "
    "isnormal isunordered lgamma_r lgammaf128_r lgammaf32_r lgammaf32x_r lgammaf64_r lgammaf64x_r "
    "lgammaf_r lgammal_r linux locale_t "
    "math_errhandling max_align_t memccpy memchr memcmp memcpy memfrob memmem memmove mempcpy "
    "memrchr memset obstack_printf "
    "obstack_vprintf off64_t off_t offsetof open_memstream pclose perror popen printf ptrdiff_t "
    "putc putc_unlocked putchar "
    "putchar_unlocked puts putw rawmemchr remove rename renameat renameat2 rewind rindex scanf "
    "setbuf setbuffer setlinebuf setvbuf "
    "sigabbrev_np sigdescr_np signbit signgam size_t snprintf sprintf sscanf ssize_t stderr stdin "
    "stdout stpcpy stpncpy strcasecmp "
    "strcasecmp_l strcasestr strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn "
    "strdup strerror strerror_l strerror_r "
    "strerrordesc_np strerrorname_np strfry strlen strncasecmp strncasecmp_l strncat strncmp "
    "strncpy strndup strnlen strpbrk strrchr "
    "strsep strsignal strspn strstr strtok strtok_r strverscmp strxfrm strxfrm_l tempnam tmpfile "
    "tmpfile64 tmpnam tmpnam_r uint16_t "
    "uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t uint_fast8_t "
    "uint_least16_t uint_least32_t uint_least64_t "
    "uint_least8_t uintmax_t uintptr_t ungetc unix va_list vasprintf vdprintf vfprintf vfscanf "
    "vprintf vscanf vsnprintf vsprintf vsscanf";

/// What c_writer.cpp, c_operations.cpp and c_element_function.cpp write into a function that has
/// the user's names, or beside it.
constexpr const char* of_exported_code =
    "arguments bfloat16_to_float bits_of_float find_place float_of_bits float_to_bfloat16 "
    "float_to_half from half_to_float i64 "
    "kernel_arguments main MEMORY numbers pointers program scalars shape sizes to u64 wrong "
    "wrong_place";

std::set<std::string> words_of(std::initializer_list<const char*> lists) {
    std::set<std::string> words;
    for (const char* list : lists) {
        std::istringstream stream(list);
        for (std::string word; stream >> word;) words.insert(word);
    }
    return words;
}

/// INT64_MAX, M_PI, FP_NAN and their like: more than a list would hold.
bool is_constant_of_headers(const std::string& name) {
    if (std::ranges::any_of(name, ascii::is_lower)) return false;
    const auto begins = [&](const char* text) { return name.starts_with(text); };
    const auto ends = [&](const char* text) { return name.ends_with(text); };
    return begins("INT") || begins("UINT") || begins("M_") || begins("FP_") || ends("_MAX") ||
           ends("_MIN") || ends("_WIDTH");
}

/// "i0": a loop over the axes of a product.
bool is_loop_index(const std::string& name) {
    return name.size() > 1 && name[0] == 'i' &&
           std::all_of(name.begin() + 1, name.end(), ascii::is_digit);
}

}  // namespace

bool is_reserved_in_c(const std::string& name) {
    static const auto& words =
        *new std::set<std::string>(words_of({keywords, of_headers, of_exported_code}));
    static const auto& numeric = *new std::set<std::string>(words_of({numeric_functions}));
    if (words.contains(name) || numeric.contains(name) || is_constant_of_headers(name) ||
        is_loop_index(name))
        return true;
    if (name.ends_with('f') || name.ends_with('l'))
        return numeric.contains(name.substr(0, name.size() - 1));
    return name.starts_with("catena_c_") || name.starts_with("mem_");
}

}  // namespace catena
