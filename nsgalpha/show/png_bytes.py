"""Figures as PNG files in memory."""

import io
from typing import Any


def png(figure: Any, **options: Any) -> bytes:
    """The figure of matplotlib as a PNG file; options of `savefig`."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", **options)
    return buffer.getvalue()
