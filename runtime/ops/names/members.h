#pragma once

// Members of Array and Variable that are functions of the same arguments, each said once. Included
// by the sources that define them.

/// Defines a member of both: CATENA_MEMBER(sum(Caller at), sum(Operand(*this, at))). The function
/// is named without its namespace, which the macro adds, since the member's name hides it.
#define CATENA_MEMBER(declared, called)                            \
    Array Array::declared const { return catena::called.array(); } \
    Variable Variable::declared const { return catena::called; }
