#include "frontend/onnx/importers/windows.h"

namespace catena::onnx {
namespace {

int64_t count_positions(const NodeCall& n, const Windows& w, int i, int64_t size) {
    const int64_t room = size + w.before[i] + w.after[i] - w.extent(i);
    if (room < 0)
        n.wrong(fmt::format("a window of {} does not fit into axis {} of {}", w.extent(i), i + 2,
                            size));
    if (!n.flag("ceil_mode")) return room / w.stride[i] + 1;
    const int64_t count = (room + w.stride[i] - 1) / w.stride[i] + 1;
    // The last window must begin inside.
    return (count - 1) * w.stride[i] >= size + w.before[i] ? count - 1 : count;
}

}  // namespace

Windows windows_of(const NodeCall& n, const Shape& x, const Dims& kernel) {
    Windows w;
    const int axes = x.rank() - 2;
    if (axes < 1 || kernel.rank() != axes)
        n.wrong(fmt::format("a window {} over the axes of x {}", to_string(kernel), to_string(x)));
    w.kernel = kernel;
    w.stride = Dims(n.integers("strides", size_t(axes), positive, 1));
    w.dilate = Dims(n.integers("dilations", size_t(axes), positive, 1));
    const std::vector<int64_t> pads = n.integers("pads", size_t(2 * axes), any_size, 0);
    const std::string automatic =
        n.choice("auto_pad", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"});
    for (int i = 0; i < axes; ++i) {
        if (kernel[i] < 1 || kernel[i] > most_size || x[i + 2] > most_size)
            n.wrong(fmt::format("a window {} in x {}", to_string(kernel), to_string(x)));
        w.before.push_back(pads[size_t(i)]);
        w.after.push_back(pads[size_t(axes + i)]);
        if (automatic.starts_with("SAME")) {
            const int64_t wanted = (x[i + 2] + w.stride[i] - 1) / w.stride[i];
            const int64_t pad =
                std::max<int64_t>((wanted - 1) * w.stride[i] + w.extent(i) - x[i + 2], 0);
            w.before[i] = automatic == "SAME_LOWER" ? pad - pad / 2 : pad / 2;
            w.after[i] = pad - w.before[i];
        } else if (automatic == "VALID") {
            w.before[i] = w.after[i] = 0;
        }
        w.positions.push_back(count_positions(n, w, i, x[i + 2]));
    }
    return w;
}

}  // namespace catena::onnx
