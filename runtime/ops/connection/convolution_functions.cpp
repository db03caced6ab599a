// Convolutions by name, as Chainer's functions.
#include "runtime/ops/by_name/function.h"
#include "runtime/ops/connection/convolution.h"

namespace catena {
namespace {

ConvolutionOptions options_from(const FunctionArguments& a) {
    return {.stride = a.dims("stride"),
            .pad = a.dims("pad"),
            .cover_all = a.flag("cover_all"),
            .dilate = a.dims("dilate"),
            .groups = a.integer("groups")};
}
DeconvolutionOptions transposed_options_from(const FunctionArguments& a) {
    return {.stride = a.dims("stride"),
            .pad = a.dims("pad"),
            .outsize = a.dims("outsize"),
            .dilate = a.dims("dilate"),
            .groups = a.integer("groups")};
}

const FunctionDef& f_convolution_2d = function(
    "convolution_2d(x, W, b=None, stride=1, pad=0, cover_all=False, *, dilate=1, groups=1, "
    "cudnn_fast=False)",
    {"x", "W", "b"}, [](const FunctionArguments& a) {
        return convolution_2d(a.array("x"), a.array("W"), a.array("b"), options_from(a));
    });
const FunctionDef& f_convolution_nd =
    function("convolution_nd(x, W, b=None, stride=1, pad=0, cover_all=False, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return convolution_nd(a.array("x"), a.array("W"), a.array("b"), options_from(a));
             });
const FunctionDef& f_deconvolution_2d =
    function("deconvolution_2d(x, W, b=None, stride=1, pad=0, outsize=None, *, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return deconvolution_2d(a.array("x"), a.array("W"), a.array("b"),
                                         transposed_options_from(a));
             });
const FunctionDef& f_deconvolution_nd =
    function("deconvolution_nd(x, W, b=None, stride=1, pad=0, outsize=None, dilate=1, groups=1)",
             {"x", "W", "b"}, [](const FunctionArguments& a) {
                 return deconvolution_nd(a.array("x"), a.array("W"), a.array("b"),
                                         transposed_options_from(a));
             });

}  // namespace
}  // namespace catena
