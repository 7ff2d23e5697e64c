"""What nsgalpha itself offers to case files; elements and laws come from other packages."""

from nsgalpha.case.catalogue import Catalogue
from nsgalpha.case.forms import ConstantVelocity, Force, Rotation, Shaking, SpringToPoint
from nsgalpha.run.scheme import GeneralizedAlpha, Overdamped, SemiImplicit, VelocityVerlet

CATALOGUE = Catalogue(
    motions=(ConstantVelocity, Rotation, Shaking),
    loads=(Force, SpringToPoint),
    schemes=(GeneralizedAlpha, VelocityVerlet, SemiImplicit, Overdamped),
)
