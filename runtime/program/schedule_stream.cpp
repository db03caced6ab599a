#include "runtime/program/schedule_stream.h"

#include <bit>

#include "runtime/program/number_visitor.h"
#include "runtime/program/schedule_numbers.h"

namespace catena::program {

class ScheduleStream::Writer {
public:
    Writer(ScheduleStream& stream, const Schedule& schedule)
        : stream_(stream), s_(schedule), blocks_(schedule), number_of_(schedule.buffers.size(), -1) {}

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
            if (number_of_[b] < 0 && s_.buffers[b].place == Buffer::Place::input) write_buffer(int(b));
        for (int value : {s_.cut.launch, s_.cut.inputs, s_.cut.outputs, s_.cut.assigns, s_.info.fused_ops, s_.info.channels_last,
                          s_.info.update_sweeps})
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
    void form_of(const Type& type) { form(uint64_t(type.dtype) << 8 | uint64_t(type.shape.rank())); }

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
        for (size_t count : {call.inputs.size(), call.outputs.size(), call.scalars.size()}) number(int64_t(count));
        for (int scalar : call.scalars) number(scalar);
        auto write = numbers();
        visit_numbers(call.attributes, write);
        for (size_t i = 0; i < call.inputs.size(); ++i) write_view(call.inputs[i], Kind::view, c, int(i));
        for (size_t i = 0; i < call.outputs.size(); ++i) write_view(call.outputs[i], Kind::view, c, -1 - int(i));
    }

    void write_form(const Attributes::Entry& entry) {
        writer_.form(std::string_view(entry.name));
        form(entry.value.index());
        if (const bool* flag = std::get_if<bool>(&entry.value)) form(*flag);
        if (const double* real = std::get_if<double>(&entry.value)) form(std::bit_cast<uint64_t>(*real));
        if (const std::string* text = std::get_if<std::string>(&entry.value)) writer_.form(std::string_view(*text));
        if (const Dims* dims = std::get_if<Dims>(&entry.value)) form(uint64_t(dims->rank()));
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
        for (const KernelLaunch::Operand& operand : kernel.operands) write_buffer(operand.buffer);
        auto write = numbers();
        visit_numbers(kernel, blocks_.combines(s_, size_t(k)), write);
    }

    void write_form(const KernelLaunch& kernel) {
        const KernelGeometry& geometry = kernel.geometry;
        writer_.form(std::string_view(kernel.key));
        form(std::bit_cast<uint64_t>(kernel.element_nanoseconds));
        for (int value : {kernel.row_scratch_rows, geometry.domain.rank(), int(geometry.reduced), geometry.split, geometry.serial,
                          int(geometry.inputs.size()), int(geometry.outputs.size())})
            form(uint64_t(value));
        for (int o = 0; o < geometry.operand_count(); ++o) {
            const KernelOperand& operand = geometry.operand(o);
            form(uint64_t(operand.dtype) << 8 | uint64_t(geometry.split > 0 && BlockedKernels::is_per_block(geometry, operand)));
        }
        for (const StrideRead& read : kernel.strides_read) form(uint64_t(read.operand) << 8 | uint64_t(read.dim));
    }

    void write_buffer(int b) {
        int& known = number_of_[size_t(b)];
        begin(known < 0 ? Kind::new_buffer : Kind::known_buffer, b);
        form(known < 0);
        if (known >= 0) return number(known);
        number(known = count_++);
        Buffer buffer = s_.buffers[size_t(b)];
        is_supported_ = is_supported_ && buffer.place != Buffer::Place::part && (buffer.over < 0 || number_of_[size_t(buffer.over)] >= 0);
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
    for (size_t b = 0; b < schedule.buffers.size(); ++b) stream.blocks_of_buffer_.push_back(blocks.count(schedule, b));
    for (size_t k = 0; k < schedule.kernels.size(); ++k) stream.combines_.push_back(blocks.combines(schedule, k));
    stream.schedule_ = schedule;
    for (KernelLaunch& kernel : stream.schedule_.kernels) kernel.key = {};
    stream.schedule_.info.notes = {"planned from the programs compiled for other numbers of turns of its loops"};
    return stream;
}

/// Reads what Writer has written. After anything unexpected it reads nothing more.
class ScheduleStream::Reader {
public:
    Reader(const ScheduleStream& like, const NumberStream& tokens, std::span<const size_t> source)
        : like_(like), tokens_(tokens), source_(source) {}

    std::optional<Schedule> read() {
        made_.info = like_.schedule_.info;
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_input();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_launch();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_result();
        for (int64_t i = count(); i > 0 && is_sound_; --i) read_buffer();
        for (int* value : {&made_.cut.launch, &made_.cut.inputs, &made_.cut.outputs, &made_.cut.assigns, &made_.info.fused_ops,
                           &made_.info.channels_last, &made_.info.update_sweeps})
            *value = integer();
        number();  // The end.
        if (!is_sound_ || at_ != tokens_.size() || !settle_numbers(made_, bytes_before_)) return std::nullopt;
        made_.info.steps = int(made_.launches.size());
        made_.info.library_calls = int(made_.library_calls.size());
        made_.info.bytes = bytes_of(made_);  // They share the machine code.
        return std::move(made_);
    }

private:
    using Kind = Part::Kind;

    int64_t number() {
        if (at_ >= tokens_.size()) is_sound_ = false;
        return is_sound_ ? tokens_[at_++].number : 0;
    }
    int integer() { return int(number()); }
    auto numbers() {
        return [this](int64_t& value) { value = number(); };
    }
    /// How often something follows, which takes a token at least.
    int64_t count() {
        const int64_t count = number();
        is_sound_ = is_sound_ && count >= 0 && size_t(count) <= tokens_.size();
        return is_sound_ ? count : 0;
    }
    /// The part of the compiled schedule that begins where this token was taken from.
    Part part() {
        if (!is_sound_ || at_ >= tokens_.size()) return is_sound_ = false, Part{};
        return like_.parts_[source_[at_]];
    }
    Part part(Kind kind) {
        const Part part = this->part();
        is_sound_ = is_sound_ && part.kind == kind;
        return part;
    }

    void read_input() {
        const Part part = this->part(Kind::input);
        if (!is_sound_) return;
        Type type = like_.schedule_.input_types[size_t(part.index)];
        number();
        for (int64_t& size : type.shape) size = number();
        made_.input_types.push_back(type);
    }

    void read_launch() {
        const Part part = this->part(Kind::launch);
        if (!is_sound_) return;
        Launch launch;
        if (const int call = like_.schedule_.launches[size_t(part.index)].library_call; call >= 0) {
            launch.library_call = int(made_.library_calls.size());
            read_call(like_.schedule_.library_calls[size_t(call)]);
        } else {
            for (int64_t i = count(); i > 0 && is_sound_; --i) {
                launch.kernels.push_back(int(made_.kernels.size()));
                read_kernel();
            }
        }
        made_.launches.push_back(std::move(launch));
    }

    void read_call(const LibraryCall& like) {
        LibraryCall call;
        call.op = like.op;
        call.attributes = like.attributes;
        call.location = like.location;
        call.function = like.function;
        const int64_t inputs = count(), outputs = count(), scalars = count();
        for (int64_t i = 0; i < scalars && is_sound_; ++i) call.scalars.push_back(integer());
        auto read = numbers();
        visit_numbers(call.attributes, read);
        for (int64_t i = 0; i < inputs && is_sound_; ++i) call.inputs.push_back(read_view());
        for (int64_t i = 0; i < outputs && is_sound_; ++i) call.outputs.push_back(read_view());
        made_.library_calls.push_back(std::move(call));
    }

    View read_view() {
        const Part part = this->part(Kind::view);
        if (!is_sound_) return {};
        const LibraryCall& call = like_.schedule_.library_calls[size_t(part.index)];
        return read_view(part.place >= 0 ? call.inputs[size_t(part.place)] : call.outputs[size_t(-1 - part.place)]);
    }

    View read_view(View view) {
        number();  // The rank.
        view.buffer = read_buffer();
        auto read = numbers();
        visit_numbers(view, read);
        return view;
    }

    void read_kernel() {
        const Part part = this->part(Kind::kernel);
        if (!is_sound_) return;
        KernelLaunch kernel = like_.schedule_.kernels[size_t(part.index)];
        is_sound_ = size_t(number()) == kernel.scalars.size();
        for (int& scalar : kernel.scalars) scalar = integer();
        for (KernelLaunch::Operand& operand : kernel.operands) operand.buffer = read_buffer();
        auto read = numbers();
        visit_numbers(kernel, like_.combines_[size_t(part.index)], read);
        made_.kernels.push_back(std::move(kernel));
    }

    /// The number of the buffer that stands here.
    int read_buffer() {
        const Part part = this->part();
        const int b = integer(), known = int(made_.buffers.size());
        if (part.kind == Kind::known_buffer) is_sound_ = is_sound_ && b >= 0 && b < known;
        else is_sound_ = is_sound_ && part.kind == Kind::new_buffer && b == known;
        if (!is_sound_) return 0;
        if (part.kind == Kind::known_buffer) return b;
        Buffer buffer = like_.schedule_.buffers[size_t(part.index)];
        bytes_before_.push_back(buffer.bytes);
        auto read = numbers();
        visit_numbers(buffer, like_.blocks_of_buffer_[size_t(part.index)], read);
        buffer.first = integer();
        buffer.last = integer();
        buffer.index = integer();
        if (buffer.over >= 0) buffer.over = integer();
        if (buffer.donor >= 0) buffer.donor = integer();
        is_sound_ = is_sound_ && buffer.over < known;
        made_.buffers.push_back(buffer);
        return b;
    }

    void read_result() {
        const Part part = this->part(Kind::result);
        if (!is_sound_) return;
        Result result = like_.schedule_.results[size_t(part.index)];
        if (result.input >= 0) result.input = integer();
        else result.view = read_view(result.view);
        made_.results.push_back(std::move(result));
    }

    const ScheduleStream& like_;
    const NumberStream& tokens_;
    const std::span<const size_t> source_;
    size_t at_ = 0;
    bool is_sound_ = true;
    Schedule made_;
    std::vector<size_t> bytes_before_;  ///< By buffer: in the compiled schedule.
};

std::optional<Schedule> ScheduleStream::schedule_of(const NumberStream& tokens, std::span<const size_t> source) const {
    return Reader(*this, tokens, source).read();
}

}  // namespace catena::program
