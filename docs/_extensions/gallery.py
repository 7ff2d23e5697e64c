"""The gallery: each example runs during the build and gets a page with its picture.

An example is a script of verification/examples. Its docstring has a title, a blank line and text in Markdown.
`run()` returns a result, and `figure(result)` draws it with matplotlib. A picture is drawn again when its
script has changed. Without examples, or with `-D gallery_examples=`, there is no gallery.
"""

import ast
import importlib
import shutil
from pathlib import Path

from sphinx.util import logging

FOLDER = "gallery"
PAGE = """# {title}

{text}

```{{image}} {name}.png
:alt: {title}
:class: example
```

```{{literalinclude}} {script}
:language: python
```
"""


def scripts(app):
    """The examples, by name."""
    stated = app.config.gallery_examples
    folder = Path(app.srcdir).parent / stated
    return sorted(folder.glob("[!_]*.py")) if stated and folder.is_dir() else []


def title_and_text(script):
    """From the docstring."""
    title, _, text = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n")
    return title.strip().rstrip(".") or script.stem, text.strip()


def draw(script, picture, root):
    """Run the example and save its figure."""
    name = ".".join(script.relative_to(root).with_suffix("").parts)
    module = importlib.import_module(name)
    module.figure(module.run()).savefig(picture, dpi=130)


def write(app):
    """The pages and pictures, before Sphinx reads."""
    folder, found = Path(app.srcdir) / FOLDER, scripts(app)
    if not found:
        shutil.rmtree(folder, ignore_errors=True)
        return
    folder.mkdir(exist_ok=True)
    names = {script.stem for script in found}
    for old in folder.iterdir():
        if old.stem not in names:
            old.unlink()
    cards = []
    for script in found:
        picture = folder / f"{script.stem}.png"
        if not picture.exists() or picture.stat().st_mtime < script.stat().st_mtime:
            logging.getLogger(__name__).info("drawing %s", script.name)
            draw(script, picture, Path(app.srcdir).parent)
        title, text = title_and_text(script)
        path = Path("..") / script.relative_to(app.srcdir.parent)
        page = PAGE.format(title=title, text=text, name=script.stem, script=Path("..") / path)
        write_if_new(folder / f"{script.stem}.md", page)
        cards.append(f"[![{title}]({script.stem}.png)]({script.stem}.md)\n[{title}]({script.stem}.md)")
    tree = "\n".join([":::{toctree}", ":hidden:", "", *sorted(names), ":::"])
    intro = "Examples that are run when these pages are built; each is a script of `verification/examples`."
    shown = "\n\n".join(["::::{container} gallery", *cards, "::::"])
    write_if_new(folder / "index.md", "\n\n".join(["# Gallery", intro, shown, tree]) + "\n")


def write_if_new(path, text):
    """Leave an unchanged page alone, so that Sphinx need not read it again."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def link(app, name, source):
    """The gallery stands below the how-to pages, if there is one."""
    if name == "index" and scripts(app):
        source[0] = source[0].replace("how-to/index\n", "how-to/index\ngallery/index\n", 1)


def setup(app):
    """Connect to Sphinx."""
    app.add_config_value("gallery_examples", "verification/examples", "env", [str])
    app.connect("builder-inited", write)
    app.connect("source-read", link)
    return {"parallel_read_safe": True}
