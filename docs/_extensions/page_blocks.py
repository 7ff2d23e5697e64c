"""Code blocks of a page of Markdown, run as the cells of a notebook.

Blocks run in their order and share a namespace. A block ```text right after a Python block is its output.
Tests run pages by this module, and `notebook_pages` makes notebooks of them.
"""

import ast
import contextlib
import io
import re
from types import SimpleNamespace

KINDS = {"image/png": "_repr_png_", "text/html": "_repr_html_"}  # of data, and the methods that make them
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text, language="python"):
    """Blocks in a language.

    Each has its source, its first line, the shown output or None, and its place in the text: start, end.
    """
    fences = list(FENCE.finditer(text))
    found = []
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] != language:
            continue
        shown, end = None, fence.end()
        if after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip():
            shown, end = after[2], after.end()
        line = text[: fence.start(2)].count("\n")
        found.append(SimpleNamespace(source=fence[2], line=line, shown=shown, start=fence.start(), end=end))
    return found


def run(block, path, namespace):
    """Printed text of a block, and the value of an expression at its end."""
    # leading newlines, so that a traceback has the line of the page
    tree = ast.parse("\n" * block.line + block.source, str(path))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(tree, str(path), "exec"), namespace)
        value = last and eval(compile(ast.Expression(last.value), str(path), "eval"), namespace)
    return out.getvalue(), value


def run_page(path):
    """Run all blocks of a page; yield each with its printed text and value."""
    namespace = {"__name__": "__main__"}
    for block in blocks(path.read_text(encoding="utf-8")):
        yield block, *run(block, path, namespace)


def data_of(value):
    """A value as a notebook shows it, by kinds of data; nothing of None."""
    if value is None:
        return {}
    shown = {kind: getattr(value, method)() for kind, method in KINDS.items() if hasattr(value, method)}
    return {"text/plain": repr(value), **{kind: data for kind, data in shown.items() if data is not None}}
