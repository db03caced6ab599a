#include "runtime/comm/rendezvous.h"

#include <limits>

#include "runtime/core/system/environment.h"
#include "runtime/core/system/error.h"

namespace catena {
namespace {

int number_in(const char* name, int least) {
    const auto number = environment::whole_number(name, least, std::numeric_limits<int>::max());
    if (!number)
        fail<ValueError>("rendezvous: {} is not set; a whole number of at least {} is needed", name,
                         least);
    return int(*number);
}

}  // namespace

bool Rendezvous::is_in_environment() { return environment::text("CATENA_RENDEZVOUS").has_value(); }

Rendezvous Rendezvous::from_environment() {
    if (!is_in_environment())
        fail<ValueError>(
            "create_communicator(tcp): set CATENA_RENDEZVOUS to tcp://HOST:PORT or "
            "file:///FOLDER/NAME, CATENA_RANK and CATENA_SIZE");
    return {*environment::text("CATENA_RENDEZVOUS"), number_in("CATENA_RANK", 0),
            number_in("CATENA_SIZE", 1),
            environment::text("CATENA_RENDEZVOUS_SECRET").value_or("")};
}

}  // namespace catena
