#include "runtime/program/stream/schedule_stream.h"

#include <bit>
#include <type_traits>
#include <variant>

#include "runtime/program/run/blocked_kernels.h"
#include "runtime/program/stream/link_visitor.h"
#include "runtime/program/stream/number_visitor.h"

namespace catena::program {

namespace {

/// Writes what is of the form of a part: what it has in common with those of other schedules.
class FormVisitor {
public:
    explicit FormVisitor(StreamWriter& writer) : writer_(writer) {}

    /// False for what is for devices.
    bool is_supported() const { return is_supported_; }

    template <class Field, class T>
    void operator()(Field, const T& value) {
        if constexpr (Field::role == Role::form)
            form(value);
        else if constexpr (Field::role == Role::maybe)
            form(value >= 0);
        else if constexpr (Field::role == Role::size || Field::role == Role::blocked)
            form_of_sizes(value);
        else if constexpr (Field::role == Role::parts)
            visit(value);
        else if constexpr (Field::role == Role::device)
            is_supported_ = is_supported_ && !value;
    }

private:
    template <class T>
        requires std::is_integral_v<T> || std::is_enum_v<T>
    void form(T value) {
        writer_.form(uint64_t(value));
    }
    void form(double value) { form(std::bit_cast<uint64_t>(value)); }
    void form(const std::string& text) { writer_.form(std::string_view(text)); }
    void form(const OpDef* op) { form(reinterpret_cast<uintptr_t>(op)); }

    void form_of_sizes(int64_t) {}
    void form_of_sizes(size_t) {}
    void form_of_sizes(const Dims& dims) { form(dims.rank()); }
    void form_of_sizes(const Attributes& attributes) {
        for (const Attributes::Entry& entry : attributes.entries()) {
            writer_.form(std::string_view(entry.name));
            form(entry.value.index());
            std::visit(
                [&]<class T>(const T& value) {
                    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, Dims>)
                        form_of_sizes(value);
                    else
                        form(value);
                },
                entry.value);
        }
    }

    template <HasFields T>
    void visit(const T& part) {
        visit_fields(*this, part);
    }
    template <class T>
    void visit(const std::vector<T>& parts) {
        form(parts.size());
        for (const T& part : parts) visit(part);
    }

    StreamWriter& writer_;
    bool is_supported_ = true;
};

}  // namespace

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
        write_links(s_.cut);
        write_links(s_.info);
        stream_.tokens_ = writer_.take();
        stream_.parts_.resize(stream_.tokens_.size());
        return is_supported_;
    }

    // Called by the visitors.
    void number(int64_t value) { writer_.number(value); }
    template <class T>
    void count(const std::vector<T>& list) {
        number(int64_t(list.size()));
    }
    void buffer(int b) { write_buffer(b); }

private:
    using Kind = Part::Kind;

    /// Begins the next numbers, which describe this part.
    void begin(Kind kind, int index, int place = 0) {
        stream_.parts_.resize(writer_.size());
        stream_.parts_.push_back({kind, index, place});
    }
    void form(uint64_t value) { writer_.form(value); }
    template <class T>
    void write_form(const T& part) {
        FormVisitor visitor(writer_);
        visit_fields(visitor, part);
        is_supported_ = is_supported_ && visitor.is_supported();
    }
    template <class T>
    void write_links(const T& part) {
        visit_fields(LinkVisitor(*this), part);
    }
    /// The sizes of a part, but not those of its lists. A copy, as the visitor may change it.
    template <class T>
    void write_sizes(T part, bool combines = false, int64_t blocks = 1) {
        auto write = [this](int64_t value) { number(value); };
        NumberVisitor visitor(write, combines, blocks);
        visit_fields(
            [&]<class Field>(Field field, auto& value) {
                if constexpr (Field::role != Role::list) visitor(field, value);
            },
            part);
    }

    void write_input(int i) {
        const Type& type = s_.input_types[size_t(i)];
        begin(Kind::input, i);
        write_form(type);
        number(type.shape.rank());
        write_sizes(type);
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
        const LibraryCall& call = s_.library_calls[size_t(c)];
        write_form(call);
        visit_fields(CountVisitor(*this), call);
        write_links(call);
        write_sizes(call);
        for (size_t i = 0; i < call.inputs.size(); ++i)
            write_view(call.inputs[i], Kind::view, c, int(i));
        for (size_t i = 0; i < call.outputs.size(); ++i)
            write_view(call.outputs[i], Kind::view, c, -1 - int(i));
    }

    void write_view(const View& view, Kind kind, int index, int place) {
        begin(kind, index, place);
        write_form(view);
        number(view.type.shape.rank());
        write_links(view);
        write_sizes(view);
    }

    void write_kernel(int k) {
        const KernelLaunch& kernel = s_.kernels[size_t(k)];
        const KernelGeometry& geometry = kernel.geometry;
        const bool combines = blocks_.combines(s_, size_t(k));
        is_supported_ = is_supported_ && !kernel.key.empty();
        begin(Kind::kernel, k);
        form(combines);
        write_form(kernel);
        for (int o = 0; o < geometry.operand_count() && geometry.split > 0; ++o)
            form(BlockedKernels::is_per_block(geometry, geometry.operand(o)));
        visit_fields(CountVisitor(*this), kernel);
        write_links(kernel);
        write_sizes(kernel, combines);
    }

    void write_buffer(int b) {
        int& known = number_of_[size_t(b)];
        begin(known < 0 ? Kind::new_buffer : Kind::known_buffer, b);
        form(known < 0);
        if (known >= 0) return number(known);
        number(known = count_++);
        Buffer buffer = s_.buffers[size_t(b)];
        write_form(buffer);
        is_supported_ = is_supported_ && buffer.place != Buffer::Place::part &&
                        (buffer.over < 0 || number_of_[size_t(buffer.over)] >= 0);
        if (buffer.place == Buffer::Place::arena) buffer.index = 0;
        if (buffer.over >= 0) buffer.over = number_of_[size_t(buffer.over)];
        write_sizes(buffer, false, blocks_.count(s_, size_t(b)));
        write_links(buffer);
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
    std::vector<int> number_of_;  ///< The number of each buffer; -1: not yet.
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
