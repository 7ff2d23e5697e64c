"""nsgalpha's own offers to case files; elements and laws come from other packages."""

import math
from typing import Any

from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.model.frame_motions import ConstantVelocity, MotionTable, Rotation, Shaking
from nsgalpha.model.inlets_outlets import Feeder, Outlet
from nsgalpha.model.regions import Ball, Box, Cylinder, HalfSpace
from nsgalpha.run.scheme_settings import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet

MOTIONS_1 = (ConstantVelocity, Rotation, Shaking)  # those that files of format 1 may hold
MOTIONS = (*MOTIONS_1, MotionTable)
REGIONS = (Ball, Box, Cylinder, HalfSpace)
SCHEMES = (GeneralizedAlpha, VelocityVerlet, SemiImplicit, Overdamped)


def _force_1(_at: Any, end: float, **others: Any) -> Force:
    """A force as files of format 1 have it: `_at` are its bodies, an infinite `end` none."""
    return Force(_at, end=None if end == math.inf else end, **others)


CATALOGUE = Catalogue(
    motions=MOTIONS,
    loads=(Force, SpringToPoint),
    schemes=SCHEMES,
    gates=(Outlet, Feeder),
    regions=REGIONS,
    format_1={
        **{
            f"nsgalpha.case.named_loads:{motion.__name__}": motion
            for motion in (ConstantVelocity, Rotation, Shaking)
        },
        **{f"nsgalpha.run.scheme_settings:{scheme.__name__}": scheme for scheme in SCHEMES},
        "nsgalpha.case.named_loads:Force": _force_1,
        "nsgalpha.case.named_loads:SpringToPoint": lambda _at, **others: SpringToPoint(_at, **others),
    },
)
