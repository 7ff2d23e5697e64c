"""Linear and constant normal forces, and resistances."""

from elements.laws.linear.adhesion import LinearAdhesion, PresetForce
from elements.laws.linear.constant import ConstantForce
from elements.laws.linear.lubrication import Lubrication
from elements.laws.linear.pressure import LinearPressure
from elements.laws.linear.resistance import Resistance, mesh_weight
from elements.laws.linear.spring_dashpot import SpringDashpot

__all__ = [
    "ConstantForce",
    "LinearAdhesion",
    "LinearPressure",
    "Lubrication",
    "PresetForce",
    "Resistance",
    "SpringDashpot",
    "mesh_weight",
]
