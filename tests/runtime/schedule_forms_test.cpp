// What schedules are written as: the text of files, the content of kept programs, and the numbers
// by which programs of other sizes are planned. Files written by an earlier build must load in a
// later one, so a change of these texts is a change of the format.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "runtime/program/file/kept_schedule.h"
#include "runtime/program/file/schedule_json.h"
#include "runtime/program/stream/schedule_numbers.h"
#include "runtime/program/stream/schedule_stream.h"

namespace catena::program {
namespace {

using ::testing::ElementsAre;
using Json = nlohmann::json;

SourceLoc line_of_model(uint32_t line) {
    SourceLoc location;
    location.file = "model.cpp";
    location.line = line;
    return location;
}

View whole_buffer(int buffer, const Type& type) {
    return {buffer, 0, type, contiguous_strides(type.shape)};
}

KernelLaunch kernel_of(std::vector<KernelLaunch::Operand> operands, Strides first) {
    KernelLaunch kernel;
    kernel.geometry.domain = {4, 8};
    for (size_t o = 0; o + 1 < operands.size(); ++o)
        kernel.geometry.inputs.push_back({Dtype::float32, o == 0 ? first : Strides{8, 1}});
    kernel.geometry.outputs = {{Dtype::float32, {8, 1}}};
    kernel.strides_read = strides_read(kernel.geometry);
    kernel.operands = std::move(operands);
    size_kernel(kernel);
    return kernel;
}

/// Two kernels, of which the second writes over what it reads, and a call into a result that may
/// take the memory of an input. The other result is an input.
Schedule host_schedule() {
    using Place = Buffer::Place;
    const Type type{Dtype::float32, {4, 8}};
    Schedule s;
    s.input_types = {type, type};
    s.buffers = {{.place = Place::input, .index = 0, .bytes = 128, .first = 0, .last = 0},
                 {.place = Place::input, .index = 1, .bytes = 128, .first = 0, .last = 0},
                 {.place = Place::arena, .bytes = 128, .first = 0, .last = 1},
                 {.place = Place::arena, .bytes = 128, .over = 2, .first = 1, .last = 2},
                 {.place = Place::output, .bytes = 128, .donor = 0, .first = 2, .last = 2}};
    s.kernels = {kernel_of({{0, 0}, {1, 0}, {2, 0}}, {8, 1}), kernel_of({{2, 0}, {3, 0}}, {8, 1})};
    s.kernels[0].operations = std::vector<Operation>{{"add", line_of_model(7)}, {"tanh", {}}};
    s.kernels[0].key = "the key of an addition";
    s.kernels[0].symbol = "add_tanh";
    s.kernels[0].steps = {3, 4};
    s.kernels[0].scalars = {1, 0};
    s.kernels[0].geometry.scalar_count = 2;
    s.kernels[0].element_nanoseconds = 0.5;
    s.kernels[0].row_scratch_rows = 2;
    s.kernels[1].key = "the key of a sum";
    s.kernels[1].symbol = "sum";
    s.kernels[1].geometry.serial = 1;
    LibraryCall& call = s.library_calls.emplace_back();
    call.op = find_op("exp");
    call.inputs = {whole_buffer(3, type)};
    call.outputs = {whole_buffer(4, type)};
    call.location = line_of_model(12);
    call.function = "growth";
    call.steps = {9};
    s.launches = {{.kernels = {0}}, {.kernels = {1}}, {.library_call = 0}};
    s.results = {{.view = whole_buffer(4, type)}, {.input = 1}};
    s.cut = {.launch = 1, .inputs = 1, .outputs = 1, .assigns = 1};
    place_buffers(s);
    s.info = {.name = "model",
              .kernels = 2,
              .fused_ops = 3,
              .channels_last = 4,
              .update_sweeps = 5,
              .code_bytes = 600,
              .notes = {"a note"}};
    return s;
}

/// The same for a device: its kernel has launch parameters, its call kernels of its own.
Schedule device_schedule() {
    Schedule s = host_schedule();
    s.cut = {};
    s.kernels[0].device = {.threads = 64,
                           .reduce_threads = 2,
                           .vector = 4,
                           .wide_index = true,
                           .scalars_by_value = true};
    s.library_calls[0].function.clear();
    s.library_calls[0].elements = ElementLaunches{
        .threads = 128, .scratch = 3, .passes = {{"pass", 32, {4, 8}}}, .inputs_last = 1};
    return s;
}

/// An attribute of each kind. Operations take others, so it is written only.
Schedule schedule_with_attributes() {
    Schedule s;
    LibraryCall& call = s.library_calls.emplace_back();
    call.op = find_op("exp");
    call.attributes = Attributes({{"flag", true},
                                  {"integer", int64_t(-3)},
                                  {"infinite", double(INFINITY)},
                                  {"real", 0.25},
                                  {"text", std::string("linear")},
                                  {"sizes", Dims{2, 3}}});
    return s;
}

const char* const host_text =
    R"({"buffers":[{"bytes":128,"donor":-1,"first":0,"index":0,"last":0,"over":-1,)"
    R"("place":0},{"bytes":128,"donor":-1,"first":0,"index":1,"last":0,"over":-1,)"
    R"("place":0},{"bytes":128,"donor":-1,"first":0,"index":0,"last":1,"over":-1,)"
    R"("place":2},{"bytes":128,"donor":-1,"first":1,"index":0,"last":2,"over":2,)"
    R"("place":2},{"bytes":128,"donor":0,"first":2,"index":0,"last":2,"over":-1,)"
    R"("place":1}],"cut":{"assigns":1,"inputs":1,"launch":1,"outputs":1},)"
    R"("inputs":[{"dtype":"float32","shape":[4,8]},{"dtype":"float32","shape":[4,8]}],)"
    R"("kernels":[{"domain":[4,8],"element_nanoseconds":0.5,"input_count":2,)"
    R"("operands":[{"buffer":0,"byte_offset":0,"dtype":"float32","strides":[8,1]},)"
    R"({"buffer":1,"byte_offset":0,"dtype":"float32","strides":[8,1]},{"buffer":2,)"
    R"("byte_offset":0,"dtype":"float32","strides":[8,1]}],"operations":[["add",)"
    R"("model.cpp",7],["tanh","",0]],"reduced":0,"row_scratch_rows":2,"scalars":[1,0],)"
    R"("serial":0,"split":-1,"split_size":0,"strides_read":[[0,0],[1,0],[2,0]],)"
    R"("symbol":"add_tanh"},{"domain":[4,8],"element_nanoseconds":0.0,"input_count":1,)"
    R"("operands":[{"buffer":2,"byte_offset":0,"dtype":"float32","strides":[8,1]},)"
    R"({"buffer":3,"byte_offset":0,"dtype":"float32","strides":[8,1]}],"reduced":0,)"
    R"("row_scratch_rows":0,"scalars":[],"serial":1,"split":-1,"split_size":0,)"
    R"("strides_read":[[0,0],[1,0]],"symbol":"sum"}],"launches":[{"kernels":[0],)"
    R"("library_call":-1},{"kernels":[1],"library_call":-1},{"kernels":[],)"
    R"("library_call":0}],"library_calls":[{"attributes":[],"file":"model.cpp",)"
    R"("function":"growth","inputs":[{"buffer":3,"dtype":"float32","offset":0,"shape":[4,)"
    R"(8],"strides":[8,1]}],"line":12,"op":"exp","outputs":[{"buffer":4,)"
    R"("dtype":"float32","offset":0,"shape":[4,8],"strides":[8,1]}],"scalars":[]}],)"
    R"("results":[{"view":{"buffer":4,"dtype":"float32","offset":0,"shape":[4,8],)"
    R"("strides":[8,1]}},{"input":1}]})";
const char* const device_kernel_text =
    R"({"device":{"reduce_threads":2,"scalars_by_value":true,"threads":64,"vector":4,)"
    R"("wide_index":true},"domain":[4,8],"element_nanoseconds":0.5,"input_count":2,)"
    R"("operands":[{"buffer":0,"byte_offset":0,"dtype":"float32","strides":[8,1]},)"
    R"({"buffer":1,"byte_offset":0,"dtype":"float32","strides":[8,1]},{"buffer":2,)"
    R"("byte_offset":0,"dtype":"float32","strides":[8,1]}],"operations":[["add",)"
    R"("model.cpp",7],["tanh","",0]],"reduced":0,"row_scratch_rows":2,"scalars":[1,0],)"
    R"("serial":0,"split":-1,"split_size":0,"strides_read":[[0,0],[1,0],[2,0]],)"
    R"("symbol":"add_tanh"})";
const char* const device_call_text =
    R"({"attributes":[],"elements":{"passes":[{"count":32,"numbers":[4,8],)"
    R"("symbol":"pass"}],"scratch":3,"threads":128},"file":"model.cpp",)"
    R"("inputs":[{"buffer":3,"dtype":"float32","offset":0,"shape":[4,8],"strides":[8,)"
    R"(1]}],"line":12,"op":"exp","outputs":[{"buffer":4,"dtype":"float32","offset":0,)"
    R"("shape":[4,8],"strides":[8,1]}],"scalars":[]})";
const char* const attributes_text =
    R"({"attributes":[{"kind":0,"name":"flag","value":true},{"kind":1,"name":"integer",)"
    R"("value":-3},{"kind":2,"name":"infinite","value":"inf"},{"kind":2,"name":"real",)"
    R"("value":0.25},{"kind":3,"name":"text","value":"linear"},{"kind":4,"name":"sizes",)"
    R"("value":[2,3]}],"file":"","inputs":[],"line":0,"op":"exp","outputs":[],)"
    R"("scalars":[]})";

TEST(ScheduleForms, the_text_of_a_host_schedule_is_that_of_earlier_builds) {
    EXPECT_EQ(to_json(host_schedule()).dump(), host_text);
}

TEST(ScheduleForms, the_text_of_a_device_schedule_is_that_of_earlier_builds) {
    const Json json = to_json(device_schedule());
    EXPECT_EQ(json["kernels"][0].dump(), device_kernel_text);
    EXPECT_EQ(json["library_calls"][0].dump(), device_call_text);
    EXPECT_FALSE(json["kernels"][1].contains("device"));
    EXPECT_FALSE(json.contains("cut"));
}

TEST(ScheduleForms, each_kind_of_attribute_is_written_as_by_earlier_builds) {
    EXPECT_EQ(to_json(schedule_with_attributes())["library_calls"][0].dump(), attributes_text);
}

TEST(ScheduleForms, a_text_of_an_earlier_build_is_read_and_written_alike) {
    EXPECT_EQ(to_json(schedule_from(Json::parse(host_text))).dump(), host_text);
    const Json device = to_json(device_schedule());
    EXPECT_EQ(to_json(schedule_from(device)), device);
}

TEST(ScheduleForms, what_earlier_builds_did_not_write_has_its_default) {
    Json json = to_json(device_schedule());
    json["kernels"][0]["device"].erase("scalars_by_value");
    json["kernels"][0].erase("operations");
    const Schedule read = schedule_from(json);
    EXPECT_FALSE(read.kernels[0].device.scalars_by_value);
    EXPECT_TRUE(read.kernels[0].device.wide_index);
    EXPECT_EQ(read.kernels[0].operations.size(), 0u);
    EXPECT_EQ(read.library_calls[0].function, "");
    EXPECT_EQ(read.cut.launch, -1);
}

TEST(ScheduleForms, a_text_without_a_member_is_refused) {
    const Json whole = Json::parse(host_text);
    for (const char* path :
         {"/inputs/0/dtype", "/buffers/2/over", "/kernels/0/domain", "/kernels/1/symbol",
          "/kernels/1/input_count", "/kernels/0/operands/1/byte_offset", "/library_calls/0/line",
          "/launches/0/kernels", "/results/0/view", "/results/1/input", "/cut/assigns"}) {
        const Json::json_pointer pointer(path);
        Json json = whole;
        json[pointer.parent_pointer()].erase(pointer.back());
        EXPECT_ANY_THROW(schedule_from(json)) << path;
    }
}

TEST(ScheduleForms, a_kept_program_has_what_is_in_no_file) {
    Json kept = kept_document(host_schedule());
    EXPECT_EQ(kept["schedule"].dump(), host_text);
    kept.erase("schedule");
    EXPECT_EQ(kept.dump(),
              R"({"calls":[[9]],"kernels":[["the key of an addition",[3,4]],["the key of a sum",)"
              R"([]]],"name":"model","notes":["a note"],"numbers":[2,3,4,5]})");
}

TEST(ScheduleForms, numbers_stand_in_the_order_of_earlier_builds) {
    EXPECT_THAT(numbers_of(host_schedule()),
                ElementsAre(4, 8, 4, 8, 4, 8, 8, 1, 8, 1, 8, 1, 0, 0, 0, 4, 8, 8, 1, 8, 1, 0, 0,
                            128, 128, 128, 128, 128, 0, 4, 8, 8, 1, 0, 4, 8, 8, 1, 0, 4, 8, 8, 1));
}

TEST(ScheduleForms, a_stream_has_the_numbers_of_earlier_builds) {
    const std::optional<ScheduleStream> stream = ScheduleStream::of(host_schedule());
    ASSERT_TRUE(stream);
    std::vector<int64_t> numbers;
    for (const StreamToken& token : stream->tokens()) numbers.push_back(token.number);
    EXPECT_THAT(
        numbers,
        ElementsAre(2, 2, 4, 8, 2, 4, 8, 3, 1, 2, 1, 0, 2, 3, 4, 0, 128, 0, 0, 0, 1, 128, 0, 0, 1,
                    2, 128, 0, 1, 0, 4, 8, 8, 1, 8, 1, 8, 1, 0, 0, 0, 1, 0, 0, 2, 3, 128, 1, 2, 0,
                    2, 4, 8, 8, 1, 8, 1, 0, 0, 1, 1, 0, 1, 9, 2, 3, 0, 4, 8, 8, 1, 2, 4, 128, 2, 2,
                    0, 0, 0, 4, 8, 8, 1, 2, 2, 4, 0, 4, 8, 8, 1, 1, 0, 1, 1, 1, 1, 3, 4, 5, 0));
}

TEST(ScheduleForms, a_schedule_is_read_from_its_stream) {
    const Schedule schedule = host_schedule();
    const std::optional<ScheduleStream> stream = ScheduleStream::of(schedule);
    ASSERT_TRUE(stream);
    std::vector<size_t> source(stream->tokens().size());
    for (size_t i = 0; i < source.size(); ++i) source[i] = i;
    const std::optional<Copied> copied = stream->schedule_of(stream->tokens(), source);
    ASSERT_TRUE(copied);
    // Buffers stand in the order in which they are used, which is theirs here.
    EXPECT_EQ(to_json(copied->schedule), to_json(schedule));
    EXPECT_EQ(copied->schedule.kernels[0].steps, schedule.kernels[0].steps);
    EXPECT_EQ(copied->schedule.library_calls[0].steps, schedule.library_calls[0].steps);
}

TEST(ScheduleForms, differences_are_named_as_by_earlier_builds) {
    const Schedule schedule = host_schedule();
    const auto difference_by = [&](const std::function<void(Schedule&)>& change) {
        Schedule other = schedule;
        change(other);
        return difference(schedule, other);
    };
    EXPECT_EQ(difference_by([](Schedule&) {}), "");
    EXPECT_EQ(difference_by([](Schedule& s) { s.launches.emplace_back(); }),
              "numbers of buffers, launches or results");
    EXPECT_EQ(difference_by([](Schedule& s) { s.cut.launch = 2; }),
              "numbers of buffers, launches or results");
    EXPECT_EQ(difference_by([](Schedule& s) { s.input_types[1].dtype = Dtype::int32; }),
              "the type of input 1");
    EXPECT_EQ(difference_by([](Schedule& s) { s.buffers[3].donor = 1; }),
              "the place or life of buffer 3");
    EXPECT_EQ(difference_by([](Schedule& s) { s.kernels[1].geometry.reduced = 1; }),
              "the code or operands of kernel 1");
    EXPECT_EQ(difference_by([](Schedule& s) {
                  s.kernels[1].steps = {5};
                  s.buffers[4].last = 3;
              }),
              "the place or life of buffer 4");
    EXPECT_EQ(difference_by([](Schedule& s) { s.library_calls[0].steps = {}; }), "the call of exp");
    EXPECT_EQ(difference_by([](Schedule& s) { s.library_calls[0].elements.emplace(); }),
              "the call of exp");
    EXPECT_EQ(difference_by([](Schedule& s) { s.launches[1].kernels = {0}; }), "launch 1");
    EXPECT_EQ(difference_by([](Schedule& s) { s.results[1].input = 0; }), "result 1");
    EXPECT_EQ(difference_by([](Schedule& s) { s.results[0].view.type.dtype = Dtype::int32; }),
              "result 0");
}

TEST(ScheduleForms, schedules_cut_at_one_launch_with_other_inputs_before_it_differ) {
    const Schedule schedule = host_schedule();
    Schedule other = schedule;
    other.cut.inputs = 2;
    EXPECT_EQ(difference(schedule, other), "numbers of buffers, launches or results");
}

TEST(ScheduleForms, sizes_and_texts_are_no_difference) {
    const Schedule schedule = host_schedule();
    Schedule other = schedule;
    other.input_types[0].shape[0] = 5;
    other.buffers[2].bytes = 192;
    other.buffers[2].offset = 64;
    other.kernels[0].geometry.domain[1] = 9;
    other.kernels[0].geometry.inputs[0].strides[0] = 9;
    other.kernels[0].operands[1].byte_offset = 4;
    other.kernels[0].symbol = "other";
    other.kernels[0].operations = OperationList();
    other.library_calls[0].function = "decay";
    other.library_calls[0].location.line = 1;
    other.library_calls[0].outputs[0].offset = 2;
    other.results[0].view.strides[0] = 9;
    other.cut.saved_bytes = 64;
    other.info.fused_ops = 1;
    EXPECT_EQ(difference(schedule, other), "");
}

}  // namespace
}  // namespace catena::program
