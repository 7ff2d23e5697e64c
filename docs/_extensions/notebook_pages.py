"""Notebooks: pages of docs/notebooks whose Python blocks run during the build, as cells do.

A page shows the pictures of its cells, and has a link to itself as a Jupyter notebook with all outputs. It is
run again when its text has changed. With `-D notebooks=` nothing is run, and pages have neither.

Format: https://nbformat.readthedocs.io/en/latest/format_description.html, version 4.5.
"""

import base64
import contextlib
import json
import os
import re
import tempfile
from pathlib import Path

from page_blocks import blocks, data_of, run_page
from sphinx.util import logging

MADE = "made"  # folder of pictures and notebooks, beside the pages
LINK = re.compile(r"\[([^\]]+)\]\((?!\w+://)[^)\s]+\)")  # within these pages


def outputs_of(printed, data, count):
    """Outputs of the cell number `count`."""
    found = []
    if printed:
        found.append({"output_type": "stream", "name": "stdout", "text": printed})
    if data:
        text = {k: base64.b64encode(v).decode() if isinstance(v, bytes) else v for k, v in data.items()}
        found.append(
            {"output_type": "execute_result", "execution_count": count, "data": text, "metadata": {}}
        )
    return found


def notebook(text, cells):
    """A page as a notebook. `cells`: of each Python block, the printed text and its data."""
    found, begin = [], 0

    def add(kind, source, **rest):
        number = f"cell-{len(found)}"
        found.append({"cell_type": kind, "id": number, "metadata": {}, "source": source.strip("\n"), **rest})

    for count, (block, (printed, data)) in enumerate(zip(blocks(text), cells, strict=True), start=1):
        if text[begin : block.start].strip():
            add("markdown", LINK.sub(r"\1", text[begin : block.start]))
        add("code", block.source, execution_count=count, outputs=outputs_of(printed, data, count))
        begin = block.end
    if text[begin:].strip():
        add("markdown", LINK.sub(r"\1", text[begin:]))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": found, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def make(page, folder):
    """Run a `page`; write its notebook and the pictures of its cells into the `folder`."""
    with tempfile.TemporaryDirectory() as empty, contextlib.chdir(empty):
        cells = [(printed, data_of(value)) for _, printed, value in run_page(page)]
    for old in folder.glob(f"{page.stem}-*"):
        old.unlink()
    for count, (_, data) in enumerate(cells, start=1):
        if "image/png" in data:
            (folder / f"{page.stem}-{count}.png").write_bytes(data["image/png"])
        elif "text/html" in data:
            (folder / f"{page.stem}-{count}.html").write_text(data["text/html"], encoding="utf-8")
    text = json.dumps(notebook(page.read_text(encoding="utf-8"), cells), indent=1, ensure_ascii=False)
    (folder / f"{page.stem}.ipynb").write_text(text + "\n", encoding="utf-8")


def make_all(app):
    """Run the pages that are newer than their notebooks, before Sphinx reads them."""
    for page in pages(app):
        folder = page.parent / MADE
        folder.mkdir(exist_ok=True)
        made = folder / f"{page.stem}.ipynb"
        if not made.exists() or made.stat().st_mtime < page.stat().st_mtime:
            logging.getLogger(__name__).info("running %s", page.name)
            make(page, folder)


def pages(app):
    """Notebooks of the documentation."""
    folder = Path(app.srcdir) / app.config.notebooks
    return sorted(set(folder.glob("*.md")) - {folder / "index.md"}) if app.config.notebooks else []


def with_outputs(text, page):
    """Text of a page with its pictures, and the link to its notebook."""
    for count, block in reversed([*enumerate(blocks(text), start=1)]):
        name = f"{MADE}/{page.stem}-{count}"
        shown = ""
        if (page.parent / f"{name}.png").exists():
            shown = f"\n\n```{{image}} {name}.png\n:alt: figure of the cell above\n:class: example\n```"
        elif (page.parent / f"{name}.html").exists():
            shown = f"\n\n```{{raw}} html\n:file: {name}.html\n```"
        text = text[: block.end] + shown + text[block.end :]
    title, rest = text.split("\n", 1)
    link = f"[Download this page as a notebook]({MADE}/{page.stem}.ipynb)"
    return f"{title}\n\n{link}\n{rest}"


def read(app, name, source):
    """The hook of Sphinx: a page's source before it is parsed."""
    page = Path(app.srcdir) / f"{name}.md"
    if page in pages(app):
        for made in (page.parent / MADE).glob(f"{page.stem}[-.]*"):
            app.env.note_dependency(os.fspath(made))
        source[0] = with_outputs(source[0], page)


def setup(app):
    """Connect to Sphinx."""
    app.add_config_value("notebooks", "notebooks", "env", [str])
    app.connect("builder-inited", make_all)
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
