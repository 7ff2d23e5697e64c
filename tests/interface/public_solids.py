"""Solids, their contact, and motions of frames, with valid arguments, for test_hostile_arguments.py."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import elements as e
import nsgalpha as ns

NOT_INSTALLED = set() if find_spec("mujoco") else {"read_mjcf"}  # needs a package
MANIPULATOR = Path(__file__).parents[1] / "robots" / "mjcf" / "manipulator.xml"
GRIPPER = Path(__file__).parents[1] / "robots" / "descriptions" / "gripper.urdf"
TETRAHEDRON = (
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
)
STEEL = ns.Material(name="steel")
PAIR = {"a": "steel", "b": "steel", "mu": 0.1, "restitution": 0.5}
PAIR |= {"mu_static": 0.2, "stribeck_velocity": 0.1, "rolling_stiffness": 1.0, "drilling_stiffness": 1.0}
TABLE = ns.Materials(materials=[STEEL], pairs=[ns.MaterialPair(**PAIR)])


def solids(folder):
    """Solids and motions."""
    model, body = ns.Model(), {"mass": 1.0, "position": (0, 0, 0)}
    spring = {"normal": e.SpringDashpot(stiffness=1.0)}
    one, two = (model.add_capsule(0.1, 1.0, mass=1.0, position=(x, 0, 0)) for x in (0, 1))
    crate, lid = (model.add_box((1, 1, 1), mass=1.0, position=(0, 0, z)) for z in (3, 5))
    rod, ball = model.primitives[0], model.add_sphere(radius=0.1, mass=1.0, position=(0, 3, 0))
    floor = model.add_plane(normal=(0, 0, 1))
    ground = model.add_mesh(*TETRAHEDRON, carrier=model.add_body(fixed=True, position=(9, 9, 9)))
    size = {"radius": 1.0, "length": 1.0}
    pose = {"position": (0, 0, 0), "rotation": (1, 0, 0, 0), "density": 2.0}
    part, groups = ns.parts.box((1, 1, 1)), {"one": [crate], "two": [floor]}
    return {
        "Model.add_box": (model.add_box, {"size": (1, 1, 1), "radius": 0.1} | body),
        "CellMotion": (ns.CellMotion, {"flow": "x", "gradient": "z", "shear_rate": 1.0}),
        "CellMotion of strains": (ns.CellMotion, {"strain_rate": (-0.1, 0, 0.1), "affine": True}),
        "CellMotion of stresses": (
            ns.CellMotion,
            {"stress": (-1.0, -2.0, 0), "viscosity": 1.0, "max_rate": 1.0},
        ),
        "Model.add_cylinder": (model.add_cylinder, size | body),
        "Model.add_cone": (model.add_cone, {"radius": 1.0, "height": 1.0} | body),
        "Model.add_capsule": (model.add_capsule, size | body),
        "Model.add_solid": (model.add_solid, {"source": TETRAHEDRON, "radius": 0.1} | body),
        "CompliantSolids": (e.CompliantSolids, {"between": ([one], [two])} | spring),
        "CompliantSolidPlane": (e.CompliantSolidPlane, {"solids": [one], "planes": floor} | spring),
        "CompliantSolidMesh": (e.CompliantSolidMesh, {"solids": crate, "polygons": ground} | spring),
        "SolidPlane": (e.SolidPlane, {"solids": [crate], "planes": floor, "mu": 0.1}),
        "SolidSolid": (e.SolidSolid, {"among": [crate, lid], "mu": 0.1}),
        "SolidSolid of two sets": (e.SolidSolid, {"between": ([crate], [lid]), "mu": 0.1}),
        "Contact": (e.Contact, {"among": [crate, lid, floor], "mu": 0.1}),
        "Contact of two sets": (e.Contact, {"between": ([crate], [lid, floor]), "mu": 0.1}),
        "Contact of materials": (e.Contact, {"among": groups, "materials": {("one", "two"): {"mu": 0.1}}}),
        "CompliantContact": (e.CompliantContact, {"among": [one, two, crate, floor]} | spring),
        "ContactLaw": (ns.ContactLaw, {"mu": 0.1, "e_n": 0.5}),
        "ContactLaw of both coefficients": (
            ns.ContactLaw,
            {"mu": 0.1, "mu_static": 0.2, "stribeck_velocity": 0.1, "mu_across": 0.3, "axis": (1, 0, 0)},
        ),
        "ContactLaw of a belt": (
            ns.ContactLaw,
            {"mu": 0.1, "surface_velocity": (1, 0, 0), "owner": "first"},
        ),
        "Material": (
            ns.Material,
            {"name": "steel", "young": 2e11, "poisson": 0.3, "density": 7850.0, "layer": 0.01},
        ),
        "MaterialPair": (ns.MaterialPair, PAIR),
        "Materials": (ns.Materials, {"materials": [STEEL], "pairs": [ns.MaterialPair(**PAIR)]}),
        "Materials.material": (TABLE.material, {"name": "steel"}),
        "Materials.pair": (TABLE.pair, {"a": "steel", "b": "steel"}),
        "Model.add_clump": (
            model.add_clump,
            {"spheres": [(0, 0, 0, 1)], "density": 1.0, "position": (0, 0, 0)},
        ),
        "Model.add_compound": (model.add_compound, {"parts": [part], "density": 1.0, "position": (0, 0, 0)}),
        "Model.add_visual": (model.add_visual, {"source": TETRAHEDRON, "body": crate, "colour": "#b03030"}),
        "parts.box": (ns.parts.box, {"size": (1, 1, 1), "radius": 0.1} | pose),
        "parts.cylinder": (ns.parts.cylinder, size | pose),
        "parts.cone": (ns.parts.cone, {"radius": 1.0, "height": 1.0} | pose),
        "parts.capsule": (ns.parts.capsule, size | pose),
        "parts.sphere": (ns.parts.sphere, {"radius": 1.0, "position": (0, 0, 0)}),
        "parts.solid": (ns.parts.solid, {"source": TETRAHEDRON, "radius": 0.1} | pose),
        "SolidMesh": (e.SolidMesh, {"solids": [crate], "polygons": [*ground], "two_sided": True, "mu": 0.1}),
        "SphereMesh": (e.SphereMesh, {"spheres": [ball], "polygons": [*ground], "mu": 0.1}),
        "CapsuleMesh": (e.CapsuleMesh, {"capsules": [rod], "polygons": [*ground], "mu": 0.1}),
        "mesh_report": (ns.mesh_report, {"source": TETRAHEDRON, "scale": 2.0, "repair": True}),
        "height_field": (ns.height_field, {"heights": np.zeros((2, 2)), "spacing": 1.0, "origin": (0, 0, 0)}),
        "SphereSolid": (e.SphereSolid, {"spheres": [ball], "solids": [crate], "mu": 0.1}),
        "CapsuleSolid": (e.CapsuleSolid, {"capsules": [rod], "solids": [crate], "mu": 0.1}),
        "read_urdf": (ns.read_urdf, {"path": GRIPPER}),
        **({} if NOT_INSTALLED else {"read_mjcf": (ns.read_mjcf, {"path": MANIPULATOR})}),
        "ConstantVelocity": (ns.ConstantVelocity, {"velocity": (0, 0, 1)}),
        "Rotation": (ns.Rotation, {"axis": (0, 0, 1), "rate": 1.0}),
        "Shaking": (ns.Shaking, {"amplitude": (0, 0, 1), "frequency": 1.0}),
        "MotionTable": (ns.MotionTable, {"times": (0, 1), "position": [(0, 0, 0), (0, 0, 1)]}),
    }
