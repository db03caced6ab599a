#include "frontend/link/link_text.h"

#include "frontend/link/link.h"

namespace catena {

std::string head_of(const Link& link) {
    std::string specs;
    for (auto& [key, value] : link.printable_specs())
        specs += (specs.empty() ? "" : ", ") + key + "=" + value;
    return link.type_name() + "(" + specs;
}

namespace {

void write(std::string& text, const Link& link, const std::string& indent) {
    const std::string head = head_of(link);
    text += head;
    std::vector<Link*> children = link.children();
    const std::vector<std::string> unlisted = link.unlisted_parts();
    if (children.empty() && unlisted.empty()) {
        text += ")";
        return;
    }
    text += head.ends_with('(') ? "\n" : ",\n";
    for (const Link* child : children) {
        text += indent + "  (" + child->name() + "): ";
        write(text, *child, indent + "  ");
        text += ",\n";
    }
    for (const std::string& part : unlisted) text += indent + "  (not listed): " + part + ",\n";
    text += indent + ")";
}

}  // namespace

std::string to_string(const Link& link) {
    std::string text;
    write(text, link, "");
    return text;
}

}  // namespace catena
