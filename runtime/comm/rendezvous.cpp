#include "runtime/comm/rendezvous.h"

#include "runtime/comm/launcher.h"
#include "runtime/core/system/error.h"

namespace catena {

Rendezvous Rendezvous::from_environment() {
    const Launched found = find_launched();
    if (found.rendezvous.empty())
        fail<ValueError>(
            "create_communicator(tcp): nothing says where ranks meet ({}); set CATENA_RENDEZVOUS "
            "to "
            "tcp://HOST:PORT or file:///FOLDER/NAME, and CATENA_RANK and CATENA_SIZE, or start the "
            "ranks by `catena launch`, torchrun or srun",
            found.why);
    if (found.size == 0)
        fail<ValueError>(
            "create_communicator(tcp): {} does not tell how many ranks there are; set CATENA_RANK "
            "and CATENA_SIZE",
            found.why);
    return {found.rendezvous, found.rank, found.size,
            environment::text("CATENA_RENDEZVOUS_SECRET").value_or("")};
}

}  // namespace catena
