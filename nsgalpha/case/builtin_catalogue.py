"""nsgalpha's own offers to case files; elements and laws come from other packages."""

from collections.abc import Mapping
from typing import Any

from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.model.cell_motion import CellMotion
from nsgalpha.model.frame_motions import ConstantVelocity, MotionTable, Rotation, Shaking
from nsgalpha.model.inlets_outlets import Feeder, Outlet
from nsgalpha.model.regions import Ball, Box, Cylinder, HalfSpace
from nsgalpha.schemes.moreau_jean.moreau_jean import MoreauJean
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet


def _respelt(recorded: Mapping[str, Any]) -> Mapping[str, Any]:
    """Arguments of a ball in files that call its centre `center`."""
    return {"centre" if name == "center" else name: value for name, value in recorded.items()}


CATALOGUE = Catalogue(
    motions=(ConstantVelocity, Rotation, Shaking, MotionTable),
    loads=(Force, SpringToPoint),
    schemes=(GeneralizedAlpha, MoreauJean, VelocityVerlet, SemiImplicit, Overdamped),
    open_boundaries=(Outlet, Feeder),
    regions=(Ball, Box, Cylinder, HalfSpace),
    parts=(CellMotion,),
    former={"Ball": (_respelt,)},
)
