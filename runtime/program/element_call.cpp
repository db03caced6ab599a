#include "runtime/program/element_call.h"

#include <bit>

#include "runtime/program/device_form.h"

namespace catena::program {

namespace {

uint64_t address_of(const Array& array) {
    return uint64_t(array.storage()->data) + uint64_t(array.body()->offset * int64_t(size_of(array.dtype())));
}

}  // namespace

ElementCall::ElementCall(const KernelCall& call, const ElementLaunches& launches, std::span<const void* const> kernels)
    : threads_(launches.threads), scratch_(launches.scratch) {
    CATENA_ASSERT(kernels.size() == launches.passes.size(), "a kernel for each pass");
    for (size_t p = 0; p < kernels.size(); ++p) {
        const ElementLaunches::Pass& pass = launches.passes[p];
        if (pass.count == 0) continue;
        Pass& made = passes_.emplace_back(kernels[p], pass.symbol, pass.count, std::vector<int64_t>{pass.count});
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
    for (const Array& input : call.inputs) inputs.push_back(input.as_contiguous());
    Ref<Storage> scratch;
    if (scratch_ > 0) scratch = device.allocate(size_t(scratch_) * sizeof(int64_t));
    std::vector<uint64_t> words;
    for (const Array& input : inputs) words.push_back(address_of(input));
    for (const Array& output : call.outputs) words.push_back(address_of(output));
    words.push_back(scratch ? uint64_t(scratch->data) : 0);
    words.push_back(uint64_t(device.fault_words()));
    words.push_back(0);  // The address of the program's scalars, which only groups use.
    const size_t fixed = words.size(), scalars = call.scalars.size();
    const int64_t site = fault_site(call.op.name, current_location());
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
                            .location = current_location()});
    }
}

}  // namespace catena::program
