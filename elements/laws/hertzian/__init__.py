"""Hertz's contact and its adhesive relatives."""

from elements.laws.hertzian.capsule import CapsuleMoment, capsule_moment
from elements.laws.hertzian.hertz import DMT, Hertz
from elements.laws.hertzian.jkr import JKR
from elements.laws.hertzian.maugis import MaugisDugdale
from elements.laws.hertzian.modulus import contact_modulus

__all__ = ["DMT", "JKR", "CapsuleMoment", "Hertz", "MaugisDugdale", "capsule_moment", "contact_modulus"]
