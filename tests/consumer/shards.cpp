// Samples in a tar archive, written and read by an installed catena::shards.
#include <catena/catena.h>

#include <iostream>
#include <string>

#include <catena/frontend/shards/shard_iterator.h>
#include <catena/frontend/shards/shard_writer.h>

int main(int, char** arguments) {
    const std::string folder = arguments[1];
    catena::ShardWriter shards(folder + "/shard-%02d.tar", {.most_samples = 2});
    for (int i = 0; i < 5; ++i) shards.write(std::to_string(i), {{"cls", std::to_string(10 * i)}});
    shards.finish();
    catena::ShardIterator batches(
        folder + "/shard-{00..02}.tar", 5,
        [](const catena::ShardSample& sample) {
            return catena::Example(catena::Array::scalar(sample.integer("cls")));
        },
        {.repeat = false, .shuffle = false});
    const auto batch = batches.next_batch();
    std::cout << catena::to_string((*batch)[0].array()) << '\n';
    return (*batch)[0].array().to_vector<int64_t>() == std::vector<int64_t>{0, 10, 20, 30, 40} ? 0
                                                                                               : 1;
}
