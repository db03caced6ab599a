#include "runtime/program/stream/schedule_stream.h"

#include <bit>

#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/stream/number_visitor.h"

namespace catena::program {

class ScheduleStream::Writer {
public:
    Writer(ScheduleStream& stream, const Schedule& schedule)
        : stream_(stream),
          s_(schedule),
          blocks_(schedule),
          number_of_(schedule.buffers.size(), -1) {}

    /// False if it is not supported.
    bool write() {
        number(int64_t(s_.input_types.size()));
        for (size_t i = 0; i < s_.input_types.size(); ++i) write_input(int(i));
        number(int64_t(s_.launches.size()));
        for (size_t l = 0; l < s_.launches.size(); ++l) write_launch(int(l));
        number(int64_t(s_.results.size()));
        for (size_t r = 0; r < s_.results.size(); ++r) write_result(int(r));
        for (size_t b = 0; b < s_.buffers.size(); ++b)
            if (number_of_[b] < 0 && s_.buffers[b].place == Buffer::Place::input) ++unread_;
        number(unread_);
        for (size_t b = 0; b < s_.buffers.size(); ++b)
            if (number_of_[b] < 0 && s_.buffers[b].place == Buffer::Place::input)
                write_buffer(int(b));
        for (int value : {s_.cut.launch, s_.cut.inputs, s_.cut.outputs, s_.cut.assigns,
                          s_.info.fused_ops, s_.info.channels_last, s_.info.update_sweeps})
            number(value);
        stream_.tokens_ = writer_.take();
        stream_.parts_.resize(stream_.tokens_.size());
        return is_supported_;
    }

private:
    using Kind = Part::Kind;

    /// Of what the next number begins.
    void begin(Kind kind, int index, int place = 0) {
        stream_.parts_.resize(writer_.size());
        stream_.parts_.push_back({kind, index, place});
    }
    void form(uint64_t value) { writer_.form(value); }
    void number(int64_t value) { writer_.number(value); }
    auto numbers() {
        return [this](int64_t value) { number(value); };
    }
    void form_of(const Type& type) {
        form(uint64_t(type.dtype) << 8 | uint64_t(type.shape.rank()));
    }

    void write_input(int i) {
        Type type = s_.input_types[size_t(i)];
        begin(Kind::input, i);
        form_of(type);
        number(type.shape.rank());
        for (int64_t size : type.shape) number(size);
    }

    void write_launch(int l) {
        const Launch& launch = s_.launches[size_t(l)];
        begin(Kind::launch, l);
        form(launch.library_call >= 0);
        if (launch.library_call >= 0) return write_call(launch.library_call);
        number(int64_t(launch.kernels.size()));
        for (int k : launch.kernels) write_kernel(k);
    }

    void write_call(int c) {
        LibraryCall call = s_.library_calls[size_t(c)];
        is_supported_ = is_supported_ && !call.elements;
        form(uint64_t(reinterpret_cast<uintptr_t>(call.op)));
        for (const Attributes::Entry& entry : call.attributes.entries()) write_form(entry);
        for (size_t count : {call.inputs.size(), call.outputs.size(), call.scalars.size()})
            number(int64_t(count));
        for (int scalar : call.scalars) number(scalar);
        write_steps(call.steps);
        auto write = numbers();
        visit_numbers(call.attributes, write);
        for (size_t i = 0; i < call.inputs.size(); ++i)
            write_view(call.inputs[i], Kind::view, c, int(i));
        for (size_t i = 0; i < call.outputs.size(); ++i)
            write_view(call.outputs[i], Kind::view, c, -1 - int(i));
    }

    void write_form(const Attributes::Entry& entry) {
        writer_.form(std::string_view(entry.name));
        form(entry.value.index());
        if (const bool* flag = std::get_if<bool>(&entry.value)) form(*flag);
        if (const double* real = std::get_if<double>(&entry.value))
            form(std::bit_cast<uint64_t>(*real));
        if (const std::string* text = std::get_if<std::string>(&entry.value))
            writer_.form(std::string_view(*text));
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) form(uint64_t(dims->rank()));
    }

    void write_steps(const std::vector<int>& steps) {
        number(int64_t(steps.size()));
        for (int step : steps) number(step);
    }

    void write_view(View view, Kind kind, int index, int place) {
        begin(kind, index, place);
        form_of(view.type);
        number(view.type.shape.rank());
        write_buffer(view.buffer);
        auto write = numbers();
        visit_numbers(view, write);
    }

    void write_kernel(int k) {
        KernelLaunch kernel = s_.kernels[size_t(k)];
        is_supported_ = is_supported_ && !kernel.key.empty();
        begin(Kind::kernel, k);
        form(blocks_.combines(s_, size_t(k)));
        write_form(kernel);
        number(int64_t(kernel.scalars.size()));
        for (int scalar : kernel.scalars) number(scalar);
        write_steps(kernel.steps);
        for (const KernelLaunch::Operand& operand : kernel.operands) write_buffer(operand.buffer);
        auto write = numbers();
        visit_numbers(kernel, blocks_.combines(s_, size_t(k)), write);
    }

    void write_form(const KernelLaunch& kernel) {
        const KernelGeometry& geometry = kernel.geometry;
        writer_.form(std::string_view(kernel.key));
        form(std::bit_cast<uint64_t>(kernel.element_nanoseconds));
        for (int value : {kernel.row_scratch_rows, geometry.domain.rank(), int(geometry.reduced),
                          geometry.split, geometry.serial, int(geometry.inputs.size()),
                          int(geometry.outputs.size())})
            form(uint64_t(value));
        for (int o = 0; o < geometry.operand_count(); ++o) {
            const KernelOperand& operand = geometry.operand(o);
            form(uint64_t(operand.dtype) << 8 |
                 uint64_t(geometry.split > 0 && BlockedKernels::is_per_block(geometry, operand)));
        }
        for (const StrideRead& read : kernel.strides_read)
            form(uint64_t(read.operand) << 8 | uint64_t(read.dim));
    }

    void write_buffer(int b) {
        int& known = number_of_[size_t(b)];
        begin(known < 0 ? Kind::new_buffer : Kind::known_buffer, b);
        form(known < 0);
        if (known >= 0) return number(known);
        number(known = count_++);
        Buffer buffer = s_.buffers[size_t(b)];
        is_supported_ = is_supported_ && buffer.place != Buffer::Place::part &&
                        (buffer.over < 0 || number_of_[size_t(buffer.over)] >= 0);
        form(uint64_t(buffer.place));
        form(uint64_t(buffer.over >= 0) << 1 | uint64_t(buffer.donor >= 0));
        auto write = numbers();
        visit_numbers(buffer, blocks_.count(s_, size_t(b)), write);
        number(buffer.first);
        number(buffer.last);
        number(buffer.place == Buffer::Place::arena ? 0 : buffer.index);
        if (buffer.over >= 0 && is_supported_) number(number_of_[size_t(buffer.over)]);
        if (buffer.donor >= 0) number(buffer.donor);
    }

    void write_result(int r) {
        const Result& result = s_.results[size_t(r)];
        form(result.input >= 0);
        if (result.input < 0) return write_view(result.view, Kind::result, r, 0);
        begin(Kind::result, r);
        number(result.input);
    }

    ScheduleStream& stream_;
    const Schedule& s_;
    const BlockedKernels blocks_;
    StreamWriter writer_;
    std::vector<int> number_of_;  ///< By buffer; -1: not yet.
    int count_ = 0;
    int64_t unread_ = 0;
    bool is_supported_ = true;
};

std::optional<ScheduleStream> ScheduleStream::of(const Schedule& schedule) {
    if (!has_regular_blocks(schedule)) return std::nullopt;
    ScheduleStream stream;
    if (!Writer(stream, schedule).write()) return std::nullopt;
    const BlockedKernels blocks(schedule);
    for (size_t b = 0; b < schedule.buffers.size(); ++b)
        stream.blocks_of_buffer_.push_back(blocks.count(schedule, b));
    for (size_t k = 0; k < schedule.kernels.size(); ++k)
        stream.combines_.push_back(blocks.combines(schedule, k));
    stream.schedule_ = schedule;
    for (KernelLaunch& kernel : stream.schedule_.kernels) kernel.key = {};
    stream.schedule_.info.notes = {
        "planned from the programs compiled for other numbers of turns of its loops"};
    return stream;
}

}  // namespace catena::program
