"""Files of VTK's PolyData (.vtp), and time series of them (.pvd), for ParaView.

XML with the arrays in base64, each with its length in bytes in front as 64 bits; the format is described in
VTK File Formats, section XML, by Kitware.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nsgalpha.shown_text import printable
from nsgalpha.user_files import write_text

TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64"}


@dataclass(frozen=True, slots=True)
class PolyData:
    """Points (..., 3), P of them, and cells, lists of rows of them: vertices, then lines, then polygons.

    Data are arrays with a row for every point or every cell, in this order.
    """

    points: ArrayLike
    vertices: Sequence[Sequence[int]] = ()
    lines: Sequence[Sequence[int]] = ()
    polygons: Sequence[Sequence[int]] = ()
    point_data: Mapping[str, ArrayLike] = field(default_factory=dict)
    cell_data: Mapping[str, ArrayLike] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Write the file `path`."""
        cells = {"Verts": self.vertices, "Lines": self.lines, "Polys": self.polygons}
        numbers = " ".join(f'NumberOf{name}="{len(rows)}"' for name, rows in cells.items())
        points = np.reshape(self.points, (-1, 3))
        parts = [
            '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" '
            'header_type="UInt64"><PolyData>',
            f'<Piece NumberOfPoints="{len(points)}" {numbers} NumberOfStrips="0">',
            f"<PointData>{_arrays(self.point_data)}</PointData>",
            f"<CellData>{_arrays(self.cell_data)}</CellData>",
            f"<Points>{_array('Points', points, 'f8')}</Points>",
            *(f"<{name}>{_cells(rows)}</{name}>" for name, rows in cells.items()),
            "</Piece></PolyData></VTKFile>\n",
        ]
        write_text(path, "\n".join(parts))


def _cells(rows: Sequence[Sequence[int]]) -> str:
    corners = np.fromiter(chain.from_iterable(rows), np.int64)
    ends = np.cumsum([len(row) for row in rows])
    return _array("connectivity", corners, "i8") + _array("offsets", ends, "i8")


def _arrays(data: Mapping[str, ArrayLike]) -> str:
    return "".join(
        _array(name, values, "i4" if np.asarray(values).dtype.kind in "iub" else "f4")
        for name, values in data.items()
    )


def _array(name: str, values: ArrayLike, kind: str) -> str:
    array: Any = np.ascontiguousarray(values, np.dtype(f"<{kind}"))
    width = array.shape[1] if array.ndim == 2 else 1
    raw = array.tobytes()
    text = base64.b64encode(np.array(len(raw), "<u8").tobytes() + raw).decode()
    return (
        f'<DataArray type="{TYPES[kind]}" Name={_quoted(name)} NumberOfComponents="{width}" format="binary">'
        f"{text}</DataArray>"
    )


def write_series(path: Path, times: Sequence[float], names: Sequence[str]) -> None:
    """Write the time series `path` of the files `names`, which stand beside it, at `times` [s]."""
    lines = "\n".join(
        f'<DataSet timestep="{t!r}" file={_quoted(name)}/>' for t, name in zip(times, names, strict=True)
    )
    write_text(
        path,
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1"><Collection>\n'
        f"{lines}\n</Collection></VTKFile>\n",
    )


def _quoted(name: str) -> str:
    """A name as the value of an attribute; XML has no way to write control characters."""
    return f'"{html.escape(printable(name))}"'
