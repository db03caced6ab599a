"""The site of the documentation is built without a warning, no link in it is dead, and it has all
pages, all public names of Python and all functions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import catena as ct
import pytest

pytest.importorskip("sphinx", reason="Sphinx is missing: PyPI could not be reached")
pytest.importorskip("myst_parser")
pytest.importorskip("furo")
pytest.importorskip("latex2mathml")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs" / "site"))
import documented  # noqa: E402
import formulas  # noqa: E402
import python_api  # noqa: E402
from pages import name_of  # noqa: E402
from snippets import lessons  # noqa: E402
from text import from_plain, wrapped  # noqa: E402

BUILD = Path(ct.__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built once, with warnings as errors."""
    out = tmp_path_factory.mktemp("site") / "html"
    command = [sys.executable, str(ROOT / "docs" / "site" / "build.py"), str(out)]
    program = BUILD / "bin" / "catena"
    if program.exists():
        command += ["--catena", str(program)]
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python")}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=1700
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return out


class Page(HTMLParser):
    """What a page links to, what can be linked to in it, and the ids of its definitions."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.links.append(value)
            elif value and name in ("id", "name"):
                self.anchors.add(value)


@cache
def page(path: Path) -> Page:
    return Page(path.read_text())


def dead_links(site: Path) -> Iterator[str]:
    for path in sorted(site.rglob("*.html")):
        for link in page(path).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else path.parent / unquote(parts.path)
            is_dead = not target.is_file()
            if not is_dead and parts.fragment and target.suffix == ".html":
                is_dead = unquote(parts.fragment) not in page(target.resolve()).anchors
            if is_dead:
                yield f"{path.relative_to(site)}: {link}"


def test_no_link_of_the_site_is_dead(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > 100
    assert list(dead_links(site)) == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a id="x" href="b.html">b</a><a href="#x">x</a><a href="#y">y</a><a href="c.html">c</a>'
        '<a href="https://example.org/z">z</a><a href="b.html#w">w</a>'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#x">a</a><img src="d.png">')
    assert list(dead_links(tmp_path)) == [
        "a.html: #y",
        "a.html: c.html",
        "a.html: b.html#w",
        "b.html: d.png",
    ]


def test_the_site_needs_no_network(site: Path) -> None:
    """No script, style, font or picture comes from elsewhere."""
    for path in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"([^\"]+)\"", path.read_text())
        loaded += re.findall(r"<link[^>]* href=\"([^\"]+)\"", path.read_text())
        assert [link for link in loaded if urlsplit(link).netloc] == [], path


def test_every_page_of_docs_is_in_the_contents(site: Path) -> None:
    """And can be reached from the first page by its menu."""
    links = set(page(site / "index.html").links)
    written = [*(ROOT / "docs").glob("*.md"), *lessons(ROOT)]
    pages = sorted(name_of(p.relative_to(ROOT / "docs")) for p in written)
    assert len(pages) > 40
    assert [name for name in pages if f"{name}.html" not in links] == []


def test_code_of_both_languages_stands_in_tabs(site: Path) -> None:
    text = (site / "first_hour/arrays.html").read_text()
    assert text.count('class="sd-tab-set') > 3
    assert text.count('data-sync-id="python"') == text.count('data-sync-id="cpp"') > 3


def test_pictures_are_in_the_site(site: Path) -> None:
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):
        assert (site / "_images" / picture.name).exists()


def test_every_function_of_the_registry_has_an_entry(site: Path) -> None:
    functions = [f for f in vars(ct).values() if isinstance(f, ct.Function)]
    assert len(functions) > 300
    missing = [
        f.__name__
        for f in functions
        if f"catena.{f.__name__}" not in page(site / f"functions/{f.family}.html").anchors
    ]
    assert missing == []


def test_every_public_name_of_python_has_an_entry(site: Path) -> None:
    modules = python_api.public_modules()
    assert {"catena", "catena.nn", "catena.optim", "catena.onnx", "catena.random"} <= set(modules)
    missing = []
    for name, module in modules.items():
        anchors = page(site / f"python_api/{name}.html").anchors
        for member in python_api.public_names(name, module):
            if f"{name}.{member}" not in anchors:
                missing.append(f"{name}.{member}")
    assert missing == []


def test_every_setting_has_an_entry(site: Path) -> None:
    anchors = page(site / "python_api/catena.config.html").anchors
    settings = [name for name in dir(ct.config) if not name.startswith("_")]
    assert "train" in settings
    assert [s for s in settings if f"catena.config.{s}" not in anchors] == []


def test_the_search_finds_functions_and_pages(site: Path) -> None:
    index = (site / "searchindex.js").read_text()
    for word in ("softmax_cross_entropy", "static_graph", "mixed_precision"):
        assert word in index


needs_doxygen = pytest.mark.skipif(shutil.which("doxygen") is None, reason="Doxygen is missing")


@needs_doxygen
def test_every_public_class_of_cpp_has_an_entry(site: Path) -> None:
    anchors = {a for path in (site / "cpp").glob("*.html") for a in page(path).anchors}
    members = documented.members(ROOT)
    classes = {m.name for m in members if m.kind in ("class", "struct") and "<" not in m.name}
    assert len(classes) > 300

    def is_told(name: str) -> bool:
        # "_CPPv4N6catena7TrainerE", of a template "_CPPv4I0EN6catena10ClassifierE".
        return any(_mangled(name) in anchor for anchor in anchors)

    assert [name for name in sorted(classes) if not is_told(name)] == []


def _mangled(name: str) -> str:
    return "N" + "".join(f"{len(part)}{part}" for part in name.split("::")) + "E"


@needs_doxygen
def test_types_in_declarations_lead_to_where_they_are_told(site: Path) -> None:
    trainer = (site / "cpp" / "frontend_trainer.html").read_text()
    begin = trainer.index('id="_CPPv4N6catena7Trainer7TrainerE')
    signature = trainer[begin : trainer.index("</dt>", begin)]
    assert re.search(r'href="[^"]*#_CPPv4N6catena7UpdaterE"', signature)
    assert re.search(r'href="[^"]*#_CPPv4N6catena10AnyTriggerE"', signature)


def test_names_in_prose_lead_to_where_they_are_told(site: Path) -> None:
    """Of both languages."""
    links = {link for path in site.glob("*.html") for link in page(path).links}
    assert "python_api/catena.html#catena.jit" in links
    if shutil.which("doxygen"):
        assert any("#_CPPv4N6catena" in link for link in links)


@needs_doxygen
def test_every_function_of_c_has_an_entry(site: Path) -> None:
    header = (ROOT / "runtime" / "capi.h").read_text()
    functions = set(re.findall(r"\b(catena_\w+)\(", header))
    assert len(functions) > 15
    anchors = page(site / "c_api.html").anchors
    assert [name for name in sorted(functions) if f"c.{name}" not in anchors] == []


def test_formulas_are_typeset_without_a_script(site: Path) -> None:
    sigmoid = (site / "functions" / "activation.html").read_text()
    begin = sigmoid.index('id="catena.sigmoid"')
    entry = sigmoid[begin : sigmoid.index("</dd>", begin)]
    assert "<mfrac>" in entry and "<msup>" in entry
    assert "exp(-x)" not in entry
    for path in site.rglob("*.html"):
        scripts = re.findall(r"<script[^>]*>", path.read_text())
        assert [script for script in scripts if "math" in script.lower()] == [], path


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("1 / (1 + exp(-x)), elementwise.", r"\frac{1}{1 + e^{{-x}}}"),
        ("x where x >= 0, elsewhere W * x (He et al. 2015).", r"x \ge 0 | W \, x"),
        ("The mean of |x0 - x1| over all.", r"\lvert x_{0} - x_{1}\rvert"),
        ("with d = floor(H / 2), and", r"d = \lfloor H / 2\rfloor"),
        ("softplus(-x . W[t]) plus the sum", r"\mathrm{softplus}({-x} \cdot {W}_{t})"),
        # Words, shapes, parts of a formula that is not read as a whole.
        ("of shape (N, C, H, W), or (N, C / groups, k).", ""),
        ("decay * old + (1 - decay) * the mean of the batch.", ""),
        ("A one-dimensional array and/or a list - not both.", ""),
        ("d = clip((mean - running mean) / running std, 3).", ""),
        ("The number of elements", ""),
    ],
)
def test_formulas_are_found_among_words(text: str, tex: str) -> None:
    assert " | ".join(found for _, _, found in formulas.found_in(text)) == tex


def test_docstrings_keep_their_paragraphs_code_and_arguments() -> None:
    text = (
        "Adds *args to `x_`.\n\n    a = 1\n\n    b = 2\n\n"
        "Arguments:\n    x (array): The first,\n        or none.\n\nReturns:\n    Their sum."
    )
    assert [line for line in from_plain(text) if line] == [
        r"Adds \*args to ``x_``\ .",
        "::",
        "        a = 1",
        "        b = 2",
        ".. rubric:: Arguments",
        "- **x (array)**: The first, or none.",
        ".. rubric:: Returns",
        "- Their sum.",
    ]


def test_long_declarations_have_a_parameter_a_line() -> None:
    short = "Variable relu(const Operand& x);"
    assert wrapped(short) == [short]
    assert wrapped("Variable f(std::map<int, int> a, int b = g(1, 2)) const;", 20) == [
        "Variable f(",
        "    std::map<int, int> a,",
        "    int b = g(1, 2)) const;",
    ]
