// Prints the signatures of all functions of the registry, one a line: what descriptions.py
// describes.
#include <fmt/format.h>

#include "runtime/ops/by_name/function.h"

int main() {
    for (const catena::FunctionDef* def : catena::all_functions())
        fmt::print("{}\n", def->signature);
}
