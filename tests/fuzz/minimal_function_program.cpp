#include "tests/fuzz/function_program_check.h"

namespace catena::fuzz {
namespace {

using Check = std::string (*)(const FunctionProgram&);

/// A change that breaks the program is none that keeps the difference.
bool still(Check disagreement, const FunctionProgram& p) {
    try {
        return !disagreement(p).empty();
    } catch (const std::exception&) {
        return false;
    }
}

/// Tries one change; keeps it if the difference stays.
template <class Change>
void attempt(FunctionProgram& p, Check disagreement, Change change) {
    FunctionProgram simpler = p;
    change(simpler);
    if (still(disagreement, simpler)) p = simpler;
}

}  // namespace

FunctionProgram minimal(const FunctionProgram& program, Check disagreement) {
    FunctionProgram p = program;
    for (int root = 0; root < int(p.calls.size()); ++root) {
        const FunctionProgram part = calls_below(p, root);
        if (!still(disagreement, part)) continue;
        p = part;
        break;
    }
    for (bool shrunk = true; shrunk;) {
        shrunk = false;
        for (size_t c = 0; c < p.calls.size(); ++c)
            for (size_t a = 0; a < p.calls[c].arguments.size(); ++a) {
                if (p.calls[c].arguments[a].call < 0) continue;
                const size_t before = p.calls.size();
                attempt(p, disagreement, [&](FunctionProgram& simpler) {
                    simpler.calls[c].arguments[a].call = -1;
                    simpler = calls_below(simpler, int(simpler.calls.size()) - 1);
                });
                if (p.calls.size() == before) continue;
                shrunk = true;
                c = a = 0;
                break;
            }
    }
    for (size_t c = 0; c < p.calls.size(); ++c) {
        for (size_t a = 0; a < p.calls[c].arguments.size(); ++a)
            attempt(p, disagreement, [&](FunctionProgram& simpler) {
                simpler.calls[c].arguments[a].layout = FunctionProgram::Layout::contiguous;
            });
        attempt(p, disagreement, [&](FunctionProgram& simpler) {
            simpler.calls[c].set = simpler.calls[c].row->set;
        });
    }
    return p;
}

}  // namespace catena::fuzz
