"""Parts of every HTML page: a strict content policy, and escaped text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from nsgalpha.shown_text import COLOURS, as_html

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
table { border-collapse: collapse; font-size: 13px; margin: 0.8rem 0; }
th, td { padding: 0.15rem 0.6rem; text-align: left; border-bottom: 1px solid #e6e6e6; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.FAILED { font-weight: 700; }
figure { margin: 0; } figure img { max-width: 100%; } figcaption { color: #555; font-size: 13px; }
""" + "\n".join(f".{name} {{ color: {colour}; }}" for name, colour in COLOURS.items())


def policy(
    *, scripts: Sequence[str] = (), styles: Sequence[str] = (), frames: bool = False, connects: bool = False
) -> str:
    """The content security policy of a page: these `scripts` and `styles`, by their digests, and no others.

    Nothing is loaded from elsewhere: pictures stand in the page, and so do `frames`, as their `srcdoc`. A
    page that `connects` may ask the server that it comes from, and no other.
    """
    parts = ["default-src 'none'"]
    parts += [
        f"{kind}-src {' '.join(map(_digest, texts))}"
        for kind, texts in (("script", scripts), ("style", styles))
        if texts
    ]
    parts += ["frame-src about:", "img-src data:"] if frames else ["img-src data:"]
    parts += ["connect-src 'self'"] if connects else []
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def head(title: str, style: str, policy: str) -> str:
    """The page before its body; the policy comes first, and holds for the rest."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{as_html(title)}</title><style>{style}</style></head>"
    )


def figure(caption: str, png: bytes, scale: float = 1.0) -> str:
    """A picture that stands in the page, `scale` times its pixels wide if there is space."""
    text, data = as_html(caption), base64.b64encode(png).decode()
    width = round(scale * int.from_bytes(png[16:20], "big"))  # in the header of a PNG
    picture = f'<img alt="{text}" width="{width}" src="data:image/png;base64,{data}">'
    return f"<figure>{picture}<figcaption>{text}</figcaption></figure>"
