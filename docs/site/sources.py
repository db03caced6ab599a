"""Files of the tree that pages link to, shown with marked words and numbered lines, so that the
site needs neither network nor tree: plain HTML beside Sphinx's pages. Folders, and files in
Markdown, become pages of Sphinx."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

if TYPE_CHECKING:
    from pages import Pages

_LARGEST = 200_000
#: Files that are for other programs than a browser: a link loads them.
_LOADED = {".ipynb"}
_SHOWN = {".h", ".cpp", ".c", ".py", ".sh", ".json", ".toml", ".prototxt"}
_HEAD = "---\norphan: true\n---\n\n"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{path} - Catena</title>
<link rel="stylesheet" href="{up}_static/source.css">
</head>
<body>
<header><a href="{up}index.html">Catena</a> / {path}</header>
{code}
</body>
</html>
"""


class Sources:
    """Remembers what is linked to, and writes a page of each file and folder."""

    def __init__(self, root: Path, folder: Path, extra: Path, pages: Pages) -> None:
        self._root = root
        self._folder = folder
        self._extra = extra
        self._pages = pages
        self._wanted: list[str] = []

    def page_of(self, path: str) -> str:
        """With its ending: ".md" is a page of Sphinx, ".html" shows a file, others are the file."""
        path = path.rstrip("/")
        if path not in self._wanted:
            self._wanted.append(path)
        if (self._root / path).is_dir():
            return f"sources/{path}/index.md"
        if Path(path).suffix in _LOADED:
            return f"sources/{path}"
        return f"sources/{path}" + ("" if path.endswith(".md") else ".html")

    def write(self) -> None:
        for path in self._wanted:  # Which grows.
            page = self.page_of(path)
            if page.endswith(".html"):
                text, folder = self._file(path), self._extra
            elif not page.endswith(".md"):
                text, folder = (self._root / path).read_text(), self._extra
            else:
                text, folder = _HEAD + self._markdown(path, page), self._folder
            (folder / page).parent.mkdir(parents=True, exist_ok=True)
            (folder / page).write_text(text)

    def _file(self, path: str) -> str:
        text = (self._root / path).read_text()
        try:
            lexer = get_lexer_for_filename(path)
        except ClassNotFound:
            lexer = TextLexer()
        code = highlight(
            text, lexer, HtmlFormatter(linenos="inline", anchorlinenos=True, lineanchors="L")
        )
        # Lines are #L17, as on GitHub.
        code = (
            code.replace('id="L-', 'id="L')
            .replace('name="L-', 'name="L')
            .replace('href="#L-', 'href="#L')
        )
        return _PAGE.format(path=html.escape(path), up="../" * (path.count("/") + 1), code=code)

    def _markdown(self, path: str, page: str) -> str:
        file = self._root / path
        if file.is_file():
            return self._pages.linked(file.read_text(), path, page)
        readme = file / "README.md"
        text = f"# `{path}`\n\n"
        if readme.exists():
            text = self._pages.linked(readme.read_text(), f"{path}/README.md", page)
        files = [f for f in sorted(file.iterdir()) if _is_shown(f)]
        if files and readme.exists():
            text += "\n\n## Files\n\n"
        links = (self._pages.link(self.page_of(f"{path}/{f.name}"), f.name, page) for f in files)
        return text + "".join(f"- {link}\n" for link in links)


def _is_shown(file: Path) -> bool:
    if not file.is_file() or file.stat().st_size > _LARGEST:
        return False
    return file.suffix in _SHOWN or file.name == "CMakeLists.txt"


def styles() -> str:
    """Of the pages of files, light and dark."""
    light, dark = HtmlFormatter(style="default"), HtmlFormatter(style="github-dark")
    return (
        "body { margin: 1.5em auto; max-width: 64em; padding: 0 1em; }\n"
        "header { font: 1rem sans-serif; margin-bottom: 1em; }\n"
        "pre { font-size: .85rem; overflow-x: auto; }\n"
        ".linenos { display: inline-block; min-width: 3em; padding-right: 1em; }\n"
        ":target { background: #8884; }\n"
        f"{light.get_style_defs('.highlight')}\n"
        "@media (prefers-color-scheme: dark) {\n"
        "body { background: #0d1117; color: #e6edf3; }\na { color: #7db7f0; }\n"
        f"{dark.get_style_defs('.highlight')}\n}}\n"
    )
