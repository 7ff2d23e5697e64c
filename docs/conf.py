"""Sphinx: `make docs` builds these pages into build/docs, without network, with warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_extensions")]

import nsgalpha  # noqa: E402

project = "nsgalpha"
author = "The nsgalpha developers"
copyright = f"2026, {author}"
version = release = nsgalpha.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "gallery",  # pages of the examples
    "notebook_pages",  # cells that run during the build
    "plain_docstrings",
    "repository_links",
]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_extensions"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
# equations carry the numbers that code and text refer to: \tag{n}
myst_dmath_double_inline = True

html_theme = "furo"
html_title = f"nsgalpha {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {"options": {"enableMenu": False}}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
default_role = "literal"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

nitpicky = True
nitpick_ignore_regex = [
    # in signatures: types of other packages, and of modules within the project that have no page
    ("py:.*", r"(?!nsgalpha|elements).*"),
    ("py:class", r"(nsgalpha|elements)\.\w+\..*"),
]
