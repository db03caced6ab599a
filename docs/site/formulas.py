"""Formulas of comments, which are written as code ("max(0, x) / 2"), as TeX.

One text serves C++, Python's help and the site: the comment. Here its formulas are found among the
words and typeset. What is no formula for sure stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"(?P<number>\d+(?:\.\d+)?(?:e-?\d+)?)|(?P<name>[A-Za-z]\w*'?)"
    r"|(?P<mark><=|>=|!=| \. |[-+*/^=<>(),\[\]|])|(?P<space> +)"
)
_GREEK = {
    *("alpha", "beta", "gamma", "delta", "theta", "lambda", "mu", "pi", "rho", "sigma"),
    *("tau", "phi", "chi", "omega"),
}
#: Names of functions, which make a formula of what they are called with.
_FUNCTIONS = {
    *("exp", "log", "sqrt", "tanh", "sin", "cos", "tan", "max", "min", "sum", "sigmoid"),
    *("softplus", "erf", "erfc", "floor", "ceil", "sign", "softmax", "log_softmax", "relu"),
    *("elu", "clip", "mean", "diag", "det", "sinh", "cosh", "abs", "dot", "round"),
    *("lgamma", "digamma", "erfinv"),
}
_OPERATORS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "=": "=", "<": "<", ">": ">"}
#: A formula may stand before one of these words, or before a mark.
_AFTER = {
    *("where", "elsewhere", "with", "of", "and", "or", "for", "plus", "along", "over"),
    *("in", "at", "to", "as", "is", "if", "on", "by", "it", "the", "else", "from", "when"),
    *("until", "towards", "per", "that", "which", "has", "means", "gives", "times", "but"),
    *("are", "without", "through", "while"),
}


class _NoFormula(Exception):
    pass


class _Parser:
    """Recursive descent over one text; a formula ends where the grammar does."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.at = start
        self.is_formula = False

    def peek(self) -> tuple[str, str, bool]:
        """The kind and text of the next token, and whether a blank is before it."""
        at = self.at
        found = _TOKEN.match(self.text, at)
        is_apart = False
        if found and found.lastgroup == "space":
            is_apart = True
            dot = _TOKEN.match(self.text, found.start())
            found = _TOKEN.match(self.text, found.end())
            if self.text.startswith(" . ", at) and dot:
                return "mark", " . ", True
        if found is None:
            return "", "", is_apart
        return found.lastgroup or "", found.group(), is_apart

    def take(self) -> str:
        if self.text.startswith(" . ", self.at):
            self.at += 3
            return " . "
        found = _TOKEN.match(self.text, self.at)
        if found and found.lastgroup == "space":
            found = _TOKEN.match(self.text, found.end())
        assert found
        self.at = found.end()
        return found.group()

    def attempt(self, parse: Callable[[], str]) -> str | None:
        """None, with nothing taken, where it cannot be read so."""
        at, was = self.at, self.is_formula
        try:
            return parse()
        except _NoFormula:
            self.at, self.is_formula = at, was
            return None

    def comparison(self) -> str:
        tex = self.sum()
        while True:
            kind, mark, is_apart = self.peek()
            if kind != "mark" or mark not in _OPERATORS or not is_apart:
                return tex

            def rest(mark: str = mark) -> str:
                self.take()
                self.is_formula = True
                return f" {_OPERATORS[mark]} {self.sum()}"

            more = self.attempt(rest)
            if more is None:
                return tex
            tex += more

    def _binary(self, marks: dict[str, str], operand: Callable[[], str]) -> str:
        tex = operand()
        while True:
            kind, mark, is_apart = self.peek()
            # With blanks on both sides: hyphens and "and/or" have none.
            blank = self.text[self.at + 1 + len(mark) : self.at + 2 + len(mark)] == " "
            if kind != "mark" or mark not in marks or not (mark == " . " or (is_apart and blank)):
                return tex

            def rest(mark: str = mark, left: str = tex) -> str:
                self.take()
                right = operand()
                self.is_formula = True
                if mark == "/":
                    return _fraction(left, right)
                if mark == "*":
                    return _product(left, right)
                return f"{left} {marks[mark]} {right}"

            whole = self.attempt(rest)
            if whole is None:
                return tex
            tex = whole

    def sum(self) -> str:
        return self._binary({"+": "+", "-": "-"}, self.product)

    def product(self) -> str:
        return self._binary({"*": "*", "/": "/", " . ": r"\cdot"}, self.signed)

    def signed(self) -> str:
        kind, mark, _ = self.peek()
        if (kind, mark) == ("mark", "-"):
            self.take()
            if self.text[self.at : self.at + 1] == " ":
                raise _NoFormula
            return f"{{-{self.signed()}}}"
        return self.power()

    def power(self) -> str:
        tex = self.primary()
        if self.text.startswith("^", self.at):
            self.take()
            self.is_formula = True
            return f"{{{tex}}}^{{{_bare(self.signed())}}}"
        return tex

    def primary(self) -> str:
        kind, text, _ = self.peek()
        if kind == "number":
            return _number(self.take())
        if kind == "name":
            return self._named(self.take())
        if text == "(":
            return self._bracketed("(", ")", "(", ")")
        if text == "|":
            self.is_formula = True
            return self._bracketed("|", "|", r"\lvert ", r"\rvert ")
        raise _NoFormula

    def _bracketed(self, begin: str, end: str, left: str, right: str) -> str:
        if self.take() != begin:
            raise _NoFormula
        inside = self.comparison()
        if self.peek()[1] != end:
            raise _NoFormula
        self.take()
        return _within(left, inside, right)

    def _named(self, name: str) -> str:
        if name in _AFTER:
            raise _NoFormula
        if self.text.startswith("(", self.at):
            self.is_formula = self.is_formula or name in _FUNCTIONS
            arguments = self._list("(", ")")
            if name == "sqrt" and len(arguments) == 1:
                return rf"\sqrt{{{arguments[0]}}}"
            if name == "exp" and len(arguments) == 1 and "frac" not in arguments[0]:
                return rf"e^{{{arguments[0]}}}"
            if name in ("floor", "ceil") and len(arguments) == 1:
                return _within(rf"\l{name} ", arguments[0], rf"\r{name} ")
            return _name(name, is_function=True) + _within("(", ", ".join(arguments), ")")
        if self.text.startswith("[", self.at):
            return rf"{{{_name(name)}}}_{{{', '.join(self._list('[', ']'))}}}"
        return _name(name)

    def _list(self, begin: str, end: str) -> list[str]:
        if self.take() != begin:
            raise _NoFormula
        parts = [self.comparison()]
        while self.peek()[1] == ",":
            self.take()
            parts.append(self.comparison())
        if self.peek()[1] != end:
            raise _NoFormula
        self.take()
        return parts


def _within(left: str, inside: str, right: str) -> str:
    """In brackets, which grow around a fraction alone."""
    if "frac" in inside:
        return rf"\left{left}{inside}\right{right}"
    return f"{left}{inside}{right}"


def _bare(tex: str) -> str:
    """Without the brackets around all of it, which a fraction or a power does not need."""
    inside = re.fullmatch(r"(?:\\left)?\((.*?)(?:\\right)?\)", tex)
    if not inside:
        return tex
    depth = 0
    for mark in re.findall(r"[()]", inside[1]):
        depth += 1 if mark == "(" else -1
        if depth < 0:
            return tex
    return inside[1]


def _product(left: str, right: str) -> str:
    """Words and numbers have a dot between them, letters stand side by side."""
    is_short = re.search(r"(^|[^}\w])\w$|\\\w+$", left) and re.match(
        r"[a-z](?![a-z])|\\(?!mathrm)", right
    )
    return rf"{left} \, {right}" if is_short else rf"{left} \cdot {right}"


def _fraction(left: str, right: str) -> str:
    if re.fullmatch(r"\w", left) and re.fullmatch(r"\w|\\\w+", right):
        return f"{left} / {right}"
    return rf"\frac{{{_bare(left)}}}{{{_bare(right)}}}"


def _number(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa


def _name(name: str, *, is_function: bool = False) -> str:
    prime = "'" if name.endswith("'") else ""
    name = name.removesuffix("'")
    if is_function and name == "gamma":
        return r"\Gamma"
    if not is_function and name == "eps":
        return r"\epsilon" + prime
    if not is_function and name in _GREEK:
        return rf"\{name}" + prime
    head, _, index = name.partition("_")
    if not is_function and index and (len(head) == 1 or head in _GREEK):
        return rf"{_name(head)}_{{{_text(index)}}}" + prime
    if len(name) == 1:
        return name + prime
    if digits := re.fullmatch(r"([A-Za-z])(\d+)", name):
        return rf"{digits[1]}_{{{digits[2]}}}" + prime
    return _text(name) + prime


def _text(name: str) -> str:
    if len(name) == 1:
        return name
    return rf"\mathrm{{{name}}}".replace("_", r"\_")


def found_in(text: str) -> list[tuple[int, int, str]]:
    """Begin, end and TeX of each formula of a text without marks of code."""
    found: list[tuple[int, int, str]] = []
    for start in re.finditer(r"(?:(?<=^)|(?<=[\s(\"]))(?=[\w(|-])", text):
        at = start.start()
        if found and at < found[-1][1]:
            continue
        parser = _Parser(text, at)
        tex = parser.attempt(parser.comparison)
        if tex is None or not parser.is_formula:
            continue
        if _ends(text, parser.at) and _begins(text, at, parser.at):
            found.append((at, parser.at, tex.strip()))
    return found


def _ends(text: str, at: int) -> bool:
    """Whether a formula may end here: what follows is no part of it."""
    rest = text[at:]
    if re.match(r"$|[.,;:)\"](?=$|[\s,;:)\"])", rest):
        return True
    word = re.match(r" ([A-Za-z]+)\b(?![\[(*])", rest)
    if word:
        return word[1] in _AFTER or len(word[1]) > 3
    return re.match(r" \([A-Z]", rest) is not None  # A paper.


def _begins(text: str, at: int, end: int) -> bool:
    """Whether a formula may begin here: no operator or name is before it, and it is not a part of
    what is in brackets, which may be those of a larger formula, or of a shape."""
    if text[:at].count("[") > text[:at].count("]"):
        return False
    if text[:at].count("(") > text[:at].count(")"):
        return re.search(r"[a-z] \($", text[:at]) is not None and text[end : end + 1] == ")"
    return re.search(r"(?:^|[.,;:(\"]|\b[a-zA-Z]{2,})\s*$", text[:at]) is not None
