"""The command `nsgalpha mesh` (entry point of the group `nsgalpha.commands`): reports of mesh files.

Exit codes are those of command_line.py.
"""

import argparse
import sys
from typing import Any

import nsgalpha as ns
from nsgalpha.commands.command_line import Reporting, as_json, positive, say


class Mesh(Reporting):
    """Report the faults of meshes."""

    name = "mesh"
    help = "say what is wrong with the mesh of a solid: holes, turned triangles, units, thickness"

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """The file, its unit, the repair and the form."""
        parser.add_argument("mesh", metavar="FILE", help="STL, OBJ, PLY, OFF, ...")
        what = "metres in a unit of the file (1)"
        parser.add_argument("--scale", metavar="S", type=positive, default=1.0, help=what)
        what = "report on the mesh as add_solid(repair=True) takes it, with all changes"
        parser.add_argument("--repair", action="store_true", help=what)
        parser.add_argument("--json", action="store_true", help="as JSON")

    def _run(self, arguments: argparse.Namespace) -> int:
        """0 if the mesh bounds a solid, 1 if not, 2 for a file that is no mesh."""
        try:
            report = ns.mesh_report(arguments.mesh, scale=arguments.scale, repair=arguments.repair)
        except ImportError as error:
            raise ValueError(str(error)) from None
        if arguments.json:
            sys.stdout.write(as_json(as_record(report)))
        else:
            say(*str(report).split("\n"))
        return 0 if report.sound else 1


def as_record(report: ns.MeshReport) -> dict[str, Any]:
    """The numbers of a report, faults by kind."""
    own = ("source", "sound", "watertight", "convex", "components", "area", "volume", "thickness", "rays")
    counts = {kind: len(found) for kind, found in report.faults._asdict().items() if kind != "component"}
    return {
        **{name: getattr(report, name) for name in own},
        "vertices": len(report.mesh.vertices),
        "triangles": len(report.mesh.triangles),
        "box": [report.low.tolist(), report.high.tolist()],
        "faults": counts | {"merged": len(report.merged), "unreferenced": len(report.unreferenced)},
        "holes": [
            {"edges": len(each.vertices), "centre": each.centre.tolist(), "extent": each.extent}
            for each in report.holes
        ],
        "repairs": report.repairs,
        "remarks": report.remarks,
    }
