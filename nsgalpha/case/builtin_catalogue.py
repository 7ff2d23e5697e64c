"""nsgalpha's own offers to case files; elements and laws come from other packages."""

from nsgalpha.case.named_loads import Force, SpringToPoint
from nsgalpha.case.plugin_catalogue import Catalogue
from nsgalpha.model.frame_motions import ConstantVelocity, MotionTable, Rotation, Shaking
from nsgalpha.model.inlets_outlets import Feeder, Outlet
from nsgalpha.model.regions import Ball, Box, Cylinder, HalfSpace
from nsgalpha.schemes.moreau_jean.moreau_jean import MoreauJean
from nsgalpha.schemes.scheme_settings import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet

CATALOGUE = Catalogue(
    motions=(ConstantVelocity, Rotation, Shaking, MotionTable),
    loads=(Force, SpringToPoint),
    schemes=(GeneralizedAlpha, MoreauJean, VelocityVerlet, SemiImplicit, Overdamped),
    open_boundaries=(Outlet, Feeder),
    regions=(Ball, Box, Cylinder, HalfSpace),
)
