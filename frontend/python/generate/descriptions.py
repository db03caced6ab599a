"""Writes the descriptions of the registry's functions, from the comments in the C++ headers.

    descriptions.py --signatures PROGRAM_OR_FILE --root TREE --output FILE

PROGRAM prints the signatures of all functions, one a line. FILE becomes rows of C++, sorted by key:
{"relu", "..."} is what the function does, {"relu.x", "..."} what its argument x is, and
{"topk.returns", "..."} what it returns. The build runs this, with no package but Python's own.

A comment (`///`) above a declaration is prose; lines that begin with "- name: " or "- a, b: " tell
of arguments. An argument without such a line has the comment of the member of that name of a struct
of options that the function takes. A line "By name: var." says that the registry has the function
under that name, and a paragraph that begins with "In C++" is for C++ alone. Functions that C++ has
under no name of their own (multiply: `a * b`), or that take other arguments by name, are described
above their registration.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

from declarations import Declaration, declarations

FOLDERS = ("runtime/ops", "runtime/graph")
_PARAMETERS_OF_OBJECT = re.compile(r"^\([^()]*(?:\([^()]*\)[^()]*)*\): ")


class Problems(Exception):
    """What has to be mended, one a line."""


def parameters(signature: str) -> list[str]:
    """["x", "slope"] of "leaky_relu(x, slope=0.2)"."""
    names, depth, part = [], 0, ""
    for c in signature[signature.index("(") + 1 : signature.rindex(")")] + ",":
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            names.append(part.split("=")[0].strip(" *"))
            part = ""
        else:
            part += c
    return [name for name in names if name]


def plain(text: str) -> str:
    """Without the marks of code, and with quotes as Python has them."""
    return re.sub(r"`([^`]*)`", r"\1", text).strip()


def prose_and_arguments(comment: list[str]) -> tuple[list[str], dict[str, str]]:
    """Paragraphs, and what the lines "- name: text" say of arguments."""
    paragraphs, arguments = [""], {}
    names: list[str] = []
    for line in comment:
        row = re.match(r"- ((?:\w+, )*\w+): (.*)", line)
        if row:
            names = row.group(1).split(", ")
            arguments.update(dict.fromkeys(names, row.group(2)))
        elif names and line.startswith("  "):
            arguments.update({name: f"{arguments[name]} {line.strip()}" for name in names})
        elif not line.strip():
            paragraphs.append("")
            names = []
        else:
            paragraphs[-1] += (paragraphs[-1] and " ") + line.strip()
            names = []
    paragraphs[0] = _PARAMETERS_OF_OBJECT.sub("", paragraphs[0])
    prose = [plain(p) for p in paragraphs if p and not p.startswith("In C++")]
    return prose, {name: plain(text) for name, text in arguments.items()}


def registrations(root: Path) -> dict[str, list[str]]:
    """Comments above `const FunctionDef& f_NAME = ...("NAME(`."""
    found: dict[str, list[str]] = {}
    pattern = re.compile(
        r'((?:^///[^\n]*\n)+)(?:static )?const FunctionDef& \w+ =\s*\w+\(\s*"(\w+)\(', re.MULTILINE
    )
    for path in sorted((root / "runtime/ops").rglob("*.cpp")):
        for comment, name in pattern.findall(path.read_text()):
            found[name] = [line[3:].removeprefix(" ") for line in comment.splitlines()]
    return found


class Table:
    """The rows, made of all declarations of the tree."""

    def __init__(self, root: Path) -> None:
        self.functions: dict[str, list[Declaration]] = {}
        self.by_name: dict[str, list[Declaration]] = {}  # Under names of the registry alone.
        self.structs: dict[str, Declaration] = {}
        self.registrations = registrations(root)
        self.rows: dict[str, str] = {}
        self.problems: list[str] = []
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*.h")):
                for declaration in declarations(path, root):
                    self._take(declaration)

    def _take(self, declaration: Declaration) -> None:
        if declaration.is_struct:
            self.structs[declaration.name] = declaration
            return
        for line in list(declaration.comment):
            if other := re.fullmatch(r"By name: (\w+)\.", line):
                declaration.comment.remove(line)
                self.by_name.setdefault(other.group(1), []).append(declaration)
                return
        self.functions.setdefault(declaration.name, []).append(declaration)

    def add(self, signature: str) -> None:
        """The rows of a function of the registry."""
        name = signature[: signature.index("(")]
        overloads = self.by_name.get(name) or self.functions.get(name, [])
        overloads = self._called_so(parameters(signature), overloads)
        comments = [d.comment for d in overloads if d.comment]
        if above := self.registrations.get(name):
            comments = [above]
        if not comments:
            where = ", ".join(d.place for d in overloads)
            self.problems.append(
                f"{name} has no comment (///) above its declaration"
                + (f" in {where}" if where else ", and none above its registration")
            )
            return
        for overload in overloads:
            if overload.is_behind:
                self.problems.append(
                    f"{name} is described behind its declaration in {overload.place}: move the "
                    "comment above it"
                )
        prose: list[str] = []
        arguments: dict[str, str] = {}
        for comment in comments:
            paragraphs, told = prose_and_arguments(comment)
            prose += paragraphs
            arguments = told | arguments
        self._check(signature, arguments, overloads)
        self.rows[name] = "\n\n".join(prose)
        for parameter in parameters(signature):
            if text := arguments.get(parameter) or self._option(parameter, overloads):
                self.rows[f"{name}.{parameter}"] = text
        if text := arguments.get("returns") or self._results(overloads):
            self.rows[f"{name}.returns"] = text

    def _called_so(self, names: list[str], overloads: list[Declaration]) -> list[Declaration]:
        """Those that take nothing that the registry's function does not, if there are any."""
        known = {*names, "at", "options"}
        fitting = [d for d in overloads if known.issuperset(d.parameters) and d.comment]
        return fitting + [d for d in overloads if not d.comment] if fitting else overloads

    def _check(self, signature: str, told: dict[str, str], overloads: list[Declaration]) -> None:
        known = {"returns", *parameters(signature)}
        known.update(*(re.findall(r"\w+", d.text) for d in overloads))
        for name in told.keys() - known:
            self.problems.append(
                f"{signature} is described with an argument {name}, which it lacks"
            )

    def _option(self, parameter: str, overloads: list[Declaration]) -> str:
        """The comment of a member of a struct of options."""
        for overload in overloads:
            for options in re.findall(r"const (\w+)& ?\w+ ?(?:= ?\{\})?[,)]", overload.text):
                for member in self.structs[options].members if options in self.structs else []:
                    if member.name == parameter and member.comment:
                        return plain(" ".join(member.comment))
        return ""

    def _results(self, overloads: list[Declaration]) -> str:
        """The members of a struct of results: "w (Eigenvalues), v (Eigenvectors)"."""
        for overload in overloads:
            struct = self.structs.get(overload.result)
            if not struct or not struct.text.startswith("struct"):
                continue
            together = [member.place for member in struct.members]
            return ", ".join(
                member.name
                if not member.comment or together.count(member.place) > 1
                else f"{member.name} ({plain(' '.join(member.comment)).rstrip('.')})"
                for member in struct.members
            )
        return ""


def literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def rows_of(signatures: list[str], root: Path) -> dict[str, str]:
    """All rows; Problems where something is missing."""
    table = Table(root)
    for signature in signatures:
        table.add(signature)
    if table.problems:
        raise Problems("\n".join(table.problems))
    return dict(sorted(table.rows.items()))


def read_signatures(source: Path) -> list[str]:
    if source.suffix == ".txt":
        return source.read_text().splitlines()
    return subprocess.run([source], check=True, capture_output=True, text=True).stdout.splitlines()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signatures", type=Path, required=True)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    try:
        rows = rows_of(read_signatures(options.signatures), options.root)
    except Problems as problems:
        print(problems, file=sys.stderr)
        return 1
    text = "".join(f"{{{literal(key)}, {literal(row)}}},\n" for key, row in rows.items())
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
