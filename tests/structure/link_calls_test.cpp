// Hooks hear every link: in frontend/link, the definition of each operator() passes its computation
// to called() or called_with(), itself or through another method of its class.
#include <gtest/gtest.h>

#include <regex>

#include "tests/structure/source_tree.h"

namespace catena::structure {
namespace {

/// The body of a definition that begins at `at`, up to the closing brace in the first column.
std::string body_at(const std::string& source, size_t at) {
    return source.substr(at, source.find("\n}\n", at) - at);
}

bool calls_hooks(const std::string& body) {
    return body.find("called(") != std::string::npos ||
           body.find("called_with(") != std::string::npos;
}

/// Classes of a source with an operator() that hooks do not hear.
std::vector<std::string> unheard(const std::string& source) {
    static const std::regex definition(R"((\w+)::(operator\(\)|\w+)\([^;{}]*\)( const)? \{\n)");
    struct Method {
        std::string owner, name, body;
    };
    std::vector<Method> methods;
    for (std::sregex_iterator it(source.begin(), source.end(), definition), end; it != end; ++it)
        methods.push_back({(*it)[1], (*it)[2], body_at(source, size_t(it->position()))});
    std::vector<std::string> found;
    for (const Method& each : methods) {
        if (each.name != "operator()" || calls_hooks(each.body)) continue;
        bool passed_on = false;
        for (const Method& other : methods)
            passed_on |= other.owner == each.owner && other.name != each.name &&
                         calls_hooks(other.body) &&
                         each.body.find(other.name + "(") != std::string::npos;
        if (!passed_on) found.push_back(each.owner);
    }
    return found;
}

/// Whether a header of links declares a class of that name with a base: other classes are called
/// without hooks.
bool is_derived(const std::string& name) {
    for (const std::string& path : sources_below("frontend/link"))
        if (path.ends_with(".h") && read(path).find("class " + name + " : ") != std::string::npos)
            return true;
    return false;
}

TEST(LinkCalls, one_that_hooks_do_not_hear_is_found) {
    const std::string
        heard =
            "Variable A::operator()(const Operand& x) {\n    return called(x, [&] { return "
            "relu(x); });\n}\n",
        passed =
            "Variable B::operator()(const Operand& x) {\n    return with(x);\n}\n"
            "Variable B::with(const Operand& x) {\n    return called(x, [&] { return relu(x); "
            "});\n}\n",
        silent = "Variable C::operator()(const Operand& x) const {\n    return relu(x);\n}\n";
    EXPECT_EQ(unheard(heard + passed + silent), std::vector<std::string>{"C"});
}

TEST(LinkCalls, all_are_heard_by_hooks) {
    int files = 0;
    for (const std::string& path : sources_below("frontend/link")) {
        if (!path.ends_with(".cpp")) continue;
        const std::string source = read(path);
        files += source.find("::operator()(") != std::string::npos;
        for (const std::string& link : unheard(source))
            if (is_derived(link))
                ADD_FAILURE() << path << ": hooks do not hear " << link
                              << "; pass its computation to called() (link.h)";
    }
    EXPECT_GT(files, 20);
}

}  // namespace
}  // namespace catena::structure
