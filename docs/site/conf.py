"""Settings of Sphinx. build.py makes the folder of pages that it reads."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import links
import mathml
from text import from_plain

project = "Catena"
author = "the authors of Catena"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
html_math_renderer = "mathml"
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence", "dollarmath"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
highlight_language = "text"
exclude_patterns = [".extra"]

html_theme = "furo"
html_title = "Catena"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["catena.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fa8", "color-brand-content": "#1f5fa8"},
    "dark_css_variables": {"color-brand-primary": "#7db7f0", "color-brand-content": "#7db7f0"},
}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
cpp_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\$ "
copybutton_prompt_is_regexp = True


def setup(app):
    def plain(app, what, name, obj, options, lines):
        # A property of the extension begins with its type: "(self) -> float".
        if lines and (typed := re.fullmatch(r"\(self\) -> (.*)", lines[0])):
            lines[:1] = [f"`{typed[1].replace('catena._catena.', '')}`", ""]
        lines[:] = from_plain("\n".join(lines))

    links.setup(app)
    mathml.setup(app)
    app.connect("autodoc-process-docstring", plain)
