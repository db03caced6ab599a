#include "runtime/program/run/element_call.h"

#include <bit>

#include "runtime/core/array/address.h"
#include "runtime/core/array/in_order.h"
#include "runtime/program/schedule/device_form.h"

namespace catena::program {

namespace {

MemoryOrder order_of(uint32_t last, size_t k) {
    return k < 32 && (last >> k & 1) ? MemoryOrder::channels_last : MemoryOrder::row_major;
}

}  // namespace

ElementCall::ElementCall(const KernelCall& call, const ElementLaunches& launches,
                         std::span<const void* const> kernels)
    : threads_(launches.threads),
      scratch_(launches.scratch),
      inputs_last_(launches.inputs_last),
      outputs_last_(launches.outputs_last) {
    CATENA_ASSERT(kernels.size() == launches.passes.size(), "a kernel for each pass");
    for (size_t p = 0; p < kernels.size(); ++p) {
        const ElementLaunches::Pass& pass = launches.passes[p];
        if (pass.count == 0) continue;
        Pass& made = passes_.emplace_back(kernels[p], pass.symbol, pass.count,
                                          std::vector<int64_t>{pass.count});
        made.numbers.insert(made.numbers.end(), pass.numbers.begin(), pass.numbers.end());
        for_each_number(call, [&](const std::string&, const Dims& values, bool) {
            made.numbers.insert(made.numbers.end(), values.begin(), values.end());
        });
        made.numbers.resize(made.numbers.size() + call.scalars.size() + 1);
    }
}

void ElementCall::launch(CodeDevice& device, const KernelCall& call) const {
    if (passes_.empty()) return;
    std::vector<Array> inputs;
    for (size_t k = 0; k < call.inputs.size(); ++k)
        inputs.push_back(in_order(order_of(inputs_last_, k), call.inputs[k]));
    for (size_t k = 0; k < call.outputs.size(); ++k)
        CATENA_ASSERT(memory_order(call.outputs[k].shape(), call.outputs[k].strides()) ==
                          order_of(outputs_last_, k),
                      "kernels write the order that they were made for");
    Ref<Storage> scratch;
    if (scratch_ > 0) scratch = device.allocate(size_t(scratch_) * sizeof(int64_t));
    std::vector<uint64_t> words;
    for (const Array& input : inputs) words.push_back(address_word(input));
    for (const Array& output : call.outputs) words.push_back(address_word(output));
    words.push_back(scratch ? uint64_t(scratch->data) : 0);
    words.push_back(uint64_t(device.fault_words()));
    words.push_back(0);  // The address of the program's scalars, which only groups use.
    const size_t fixed = words.size(), scalars = call.scalars.size();
    const int64_t site = fault_site(call.op.name, known_location());
    for (const Pass& pass : passes_) {
        words.resize(fixed);
        words.insert(words.end(), pass.numbers.begin(), pass.numbers.end());
        words.back() = uint64_t(site);
        for (size_t s = 0; s < scalars; ++s)
            words[words.size() - 1 - scalars + s] = std::bit_cast<uint64_t>(call.scalars[s]);
        device.launch_code({.kernel = pass.kernel,
                            .name = pass.name.c_str(),
                            .blocks = launch_blocks((pass.count + threads_ - 1) / threads_, device),
                            .threads = uint32_t(threads_),
                            .arguments = words.data(),
                            .bytes = words.size() * sizeof(uint64_t),
                            .location = known_location()});
    }
}

}  // namespace catena::program
