"""Pages that are written by hand: those of docs/, docs/site/pages/*.md and parts of README.md, with
links between files of the tree turned into links between pages of the site, and with tabs where C++
and Python say the same."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import sources
from snippets import LESSONS, with_tabs

#: Files outside docs/ that are pages.
OTHERS = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "examples/README.md": "examples",
    "THIRD_PARTY_LICENSES.md": "third_party_licences",
}
#: Parts of README.md that are pages: the heading, and the page's name and title.
PARTS = {
    "Install, build, test": ("install", "Install and build"),
    "What works today": ("what_works", "What works today"),
    "Tools and folders": ("tools", "Tools and folders"),
}
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s#:]*)(#[^)\s]*)?\)")
_CODE = re.compile(r"(^(?:```|~~~).*?^(?:```|~~~)[ \t]*$)", re.MULTILINE | re.DOTALL)
#: In docs/site/pages: tests run the code of README.md.
_FROM_README = re.compile(r"^% The first code of README\.md: (\w+)$", re.MULTILINE)


class Pages:
    """Writes them into a folder, and the pages of sources that they link to."""

    def __init__(self, root: Path, folder: Path, extra: Path) -> None:
        self._root = root
        self._folder = folder
        self._sources = sources.Sources(root, folder, extra, self)
        self._names = {
            str(page.relative_to(root)): name_of(page.relative_to(root / "docs"))
            for folder in ("docs", *LESSONS)
            for page in sorted((root / folder).glob("*.md"))
        } | OTHERS

    def write(self) -> None:
        for path, name in self._names.items():
            self._write_page(name, (self._root / path).read_text(), path)
        readme = (self._root / "README.md").read_text()
        for page in sorted((self._root / "docs/site/pages").glob("*.md")):
            text = _FROM_README.sub(lambda m: first_code(readme, m[1]), page.read_text())
            self._write_page(page.stem, text, "docs/" + page.name)
        for heading, (name, title) in PARTS.items():
            self._write_page(name, f"# {title}\n\n{section(readme, heading)}", "README.md")
        pictures = self._folder / "pictures"
        shutil.copytree(
            self._root / "docs/pictures", pictures, ignore=shutil.ignore_patterns("*.py", "__*")
        )
        self._sources.write()

    def source(self, path: str) -> str:
        """The page of a source file, from the site's root."""
        return self._sources.page_of(path)

    def _write_page(self, name: str, text: str, path: str) -> None:
        page = self._folder / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(with_tabs(self.linked(text, path, name)))

    def linked(self, text: str, path: str, page: str) -> str:
        """The text of the tree's file `path` as the site's page `page`."""
        parts = _CODE.split(text)
        for i in range(0, len(parts), 2):
            parts[i] = _LINK.sub(lambda found: self._link(found, path, page), parts[i])
        return "".join(parts)

    def _link(self, found: re.Match[str], path: str, page: str) -> str:
        target, fragment = found[2], found[3] or ""
        if not target:
            return found[0]
        if target.startswith("/"):
            return found[0]
        wanted = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if wanted.startswith("docs/") and wanted.count("/") == 1:
            own = self._root / "docs/site/pages" / os.path.basename(wanted)
            name = self._names.get(wanted) or (own.stem if own.exists() else None)
        else:
            name = self._names.get(wanted)
        if wanted == "README.md":
            name, fragment = _part_of_readme(fragment)
        if name is not None:
            return self.link(f"{name}.md", found[1], page, fragment)
        if not (self._root / wanted).exists():
            return found[0]  # Sphinx says that it leads nowhere.
        to = self._sources.page_of(wanted)
        return self.link(to, found[1], page, fragment if to.endswith(".html") else "")

    @staticmethod
    def link(to: str, text: str, page: str, fragment: str = "") -> str:
        """A link on a page to another one, or to a file that Sphinx does not know."""
        target = os.path.relpath(to, os.path.dirname(page) or ".") + fragment
        if not to.endswith(".md"):
            return f'<a class="reference internal" href="{target}">{text}</a>'
        return f"[{text}]({target})"


def name_of(page: Path) -> str:
    """The name of a page of docs/ on the site: first_hour/README.md is first_hour/index."""
    return str(page.parent / ("index" if page.stem == "README" else page.stem))


def _part_of_readme(fragment: str) -> tuple[str, str]:
    for heading, (name, _) in PARTS.items():
        if fragment == "#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-"):
            return name, ""
    return "index", ""


def section(text: str, heading: str) -> str:
    """What stands below a heading (##) up to the next one."""
    begin = text.index(f"\n## {heading}\n") + len(f"\n## {heading}\n")
    end = text.find("\n## ", begin)
    return text[begin : end if end > 0 else len(text)].strip() + "\n"


def first_code(text: str, language: str) -> str:
    found = re.search(rf"^```{language}\n.*?^```$", text, re.MULTILINE | re.DOTALL)
    assert found, language
    return found[0]
