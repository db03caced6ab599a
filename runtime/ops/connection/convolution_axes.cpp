#include "runtime/ops/connection/convolution_axes.h"

#include "runtime/core/system/error.h"
#include "runtime/ops/by_name/function.h"

namespace catena {
namespace {

void check_axes(const char* name, int axes, const Variable& x, const Variable& W) {
    if (x.rank() != axes + 2 || W.rank() != axes + 2)
        fail<ShapeError>("{}: x and W should have {} axes, x is {} and W is {}", name, axes + 2,
                         to_string(x.shape()), to_string(W.shape()));
}

Variable convolved(const char* name, int axes, const Operand& x, const Operand& W, const Operand& b,
                   const ConvolutionOptions& options) {
    LocationScope scope(x.location());
    check_axes(name, axes, x, W);
    return convolution_nd(x, W, b, options);
}

Variable deconvolved(const char* name, int axes, const Operand& x, const Operand& W,
                     const Operand& b, const DeconvolutionOptions& options) {
    LocationScope scope(x.location());
    check_axes(name, axes, x, W);
    return deconvolution_nd(x, W, b, options);
}

const FunctionDef& convolution_function(const char* name, int axes) {
    return function(
        std::string(name) + "(x, W, b=None, stride=1, pad=0, cover_all=False, dilate=1, groups=1)",
        {"x", "W", "b"}, [name, axes](const FunctionArguments& a) {
            return convolved(name, axes, a.array("x"), a.array("W"), a.array("b"),
                             {.stride = a.dims("stride"),
                              .pad = a.dims("pad"),
                              .cover_all = a.flag("cover_all"),
                              .dilate = a.dims("dilate"),
                              .groups = a.integer("groups")});
        });
}
const FunctionDef& deconvolution_function(const char* name, int axes) {
    return function(
        std::string(name) + "(x, W, b=None, stride=1, pad=0, outsize=None, dilate=1, groups=1)",
        {"x", "W", "b"}, [name, axes](const FunctionArguments& a) {
            return deconvolved(name, axes, a.array("x"), a.array("W"), a.array("b"),
                               {.stride = a.dims("stride"),
                                .pad = a.dims("pad"),
                                .outsize = a.dims("outsize"),
                                .dilate = a.dims("dilate"),
                                .groups = a.integer("groups")});
        });
}
const FunctionDef& f_convolution_1d = convolution_function("convolution_1d", 1);
const FunctionDef& f_convolution_3d = convolution_function("convolution_3d", 3);
const FunctionDef& f_deconvolution_1d = deconvolution_function("deconvolution_1d", 1);
const FunctionDef& f_deconvolution_3d = deconvolution_function("deconvolution_3d", 3);
const FunctionDef& f_dilated =
    function("dilated_convolution_2d(x, W, b=None, stride=1, pad=0, dilate=1, cover_all=False)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return dilated_convolution_2d(a.array("x"), a.array("W"), a.array("b"),
                                               {.stride = a.dims("stride"),
                                                .pad = a.dims("pad"),
                                                .cover_all = a.flag("cover_all"),
                                                .dilate = a.dims("dilate")});
             });

}  // namespace

Variable convolution_1d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options) {
    return convolved("convolution_1d", 1, x, W, b, options);
}
Variable convolution_3d(const Operand& x, const Operand& W, const Operand& b,
                        const ConvolutionOptions& options) {
    return convolved("convolution_3d", 3, x, W, b, options);
}
Variable deconvolution_1d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options) {
    return deconvolved("deconvolution_1d", 1, x, W, b, options);
}
Variable deconvolution_3d(const Operand& x, const Operand& W, const Operand& b,
                          const DeconvolutionOptions& options) {
    return deconvolved("deconvolution_3d", 3, x, W, b, options);
}
Variable dilated_convolution_2d(const Operand& x, const Operand& W, const Operand& b,
                                const ConvolutionOptions& options) {
    return convolved("dilated_convolution_2d", 2, x, W, b, options);
}

}  // namespace catena
