"""Parts of every HTML page that is written here: a policy that lets nothing else in, text that stays text."""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Sequence

from nsgalpha.text import printable


def policy(*, scripts: Sequence[str] = (), styles: Sequence[str] = (), frames: bool = False) -> str:
    """The content security policy of a page: these `scripts` and `styles`, by their digests, and no others.

    Nothing is loaded from elsewhere: pictures stand in the page, and so do `frames`, as their `srcdoc`.
    """
    parts = ["default-src 'none'"]
    parts += [
        f"{kind}-src {' '.join(map(_digest, texts))}"
        for kind, texts in (("script", scripts), ("style", styles))
        if texts
    ]
    parts += ["frame-src about:", "img-src data:"] if frames else ["img-src data:"]
    return "; ".join([*parts, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def head(title: str, style: str, policy: str) -> str:
    """All before the body of a page; the policy comes first, and holds for what follows."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{as_html(title)}</title><style>{style}</style></head>"
    )


def as_html(text: str) -> str:
    """`text` as it may stand in an element or an attribute, with control characters made visible."""
    return html.escape(printable(text))
