"""Pages from files elsewhere in the repository, and links to them. One text serves readers of both.

A page that only includes a file gets its text, with links as seen from here. Links to a file that has a page
lead to that page.
"""

import os
import re
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]+)?\)")
INCLUDED = re.compile(r"\A:::\{include\} (\S+)\n:::\n\Z")
PAGES = {  # file of the repository and its page
    "verification/README.md": "verification.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}


def process(app, name, source):
    """The hook of Sphinx: a page's source before it is parsed."""
    docs = Path(app.srcdir)
    page = docs / f"{name}.md"
    folder = page.parent
    included = INCLUDED.match(source[0])
    if included:
        file = (folder / included[1]).resolve()
        app.env.note_dependency(str(file))
        source[0], folder = file.read_text(encoding="utf-8"), file.parent

    def seen_from_here(link):
        target = (folder / link[1]).resolve()
        if not target.is_relative_to(docs.parent):
            return link[0]
        own = PAGES.get(target.relative_to(docs.parent).as_posix())
        target = docs / own if own else target
        return f"]({os.path.relpath(target, page.parent)}{link[2] or ''})"

    source[0] = LINK.sub(seen_from_here, source[0])


def setup(app):
    """Connect to Sphinx."""
    app.connect("source-read", process)
    return {"parallel_read_safe": True}
