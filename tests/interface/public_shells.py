"""Surfaces and the elements that act on them, with valid arguments, for test_hostile_arguments.py."""

import elements as e
import nsgalpha as ns
from nsgalpha import testing

CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def tetrahedron():
    """A model, its points, and a surface of them."""
    model = ns.Model()
    nodes = [model.add_point(position=corner, mass=1.0) for corner in CORNERS]
    return model, nodes, model.add_surface(nodes, FACES, thickness=0.1)


def shells(folder):
    """Forces of surfaces."""
    model, _, surface = tetrahedron()
    other, nodes, own = tetrahedron()
    found = {
        "ShellSprings": {"modulus": 1.0, "length": 1.0},
        "MaxwellShell": {"modulus": 1.0, "time": 1.0},
        "ShellViscosity": {"viscosity": 1.0},
        "Bending": {"stiffness": 1.0, "angle": 0.1},
        "ShellBending": {"modulus": 1.0, "poisson": 0.3, "curvature": 1.0},
        "LinearMembrane": {"stiffness": 1.0, "poisson": 0.3},
        "NeoHookeanMembrane": {"shear": 1.0},
        "SkalakMembrane": {"shear": 1.0, "area": 1.0},
        "LimMembrane": {"area": 1.0, "shear": 1.0},
        "FungMembrane": {"stiffness": 1.0, "trace": 1.0, "square": 1.0},
        "ChainSprings": {"shear": 1.0, "ratio": 0.5},
        "JuelicherBending": {"stiffness": 1.0},
        "LocalArea": {"stiffness": 1.0, "tension": 0.1},
        "GlobalArea": {"stiffness": 1.0, "area": 2.0},
        "Volume": {"stiffness": 1.0, "volume": 0.2, "time": 1.0},
    }
    ends = nodes[:2]
    rod = {"segments": [ends], "along": 1.0, "across": 1.0, "stretching": 1.0, "turning": 1.0}
    drag = e.SegmentDrag(**rod)
    flat, law = ns.Model(), {"normal": e.Contractile(substrate=1.0, contraction=1.0)}
    cells = [flat.add_sphere(radius=1.0, mass=1.0, position=(z, 0, 0)) for z in (0, 1)]
    layers = flat.add(e.LayeredSpheres(cells, **law))
    x = other.initial_state().position
    made = {name: (getattr(e, name), {"surface": surface, **given}) for name, given in found.items()}
    springs = e.ShellSprings(surface, modulus=1.0)
    model.add(springs, name="springs")
    result = ns.simulate(model, t_end=0.01, h=0.01)
    plane, mesh = model.add_plane(normal=(0, 0, 1), offset=-1.0), e.icosphere(1)
    cell = e.add_cell(ns.Model(), mesh, tension=1.0, volume_stiffness=1.0)
    stated = {"model": ns.Model(), "mesh": mesh, "tension": 1.0, "volume_stiffness": 1.0}
    touch = {"surfaces": surface, "stiffness": 1.0, "work": 0.1, "reach": 0.1, "planes": plane}
    other_model = ns.Model()
    grown = {"count": 2, "radius": 1.0, "cycle": 1.0, "tension": 1.0, "volume_stiffness": 1.0}
    cluster = e.add_cluster(other_model, **grown, stiffness=1.0, subdivisions=0)
    family = {"surfaces": cluster.surfaces, "births": (0.0, 1.0), "mothers": (-1, 0), "stiffness": 1.0}
    return made | {
        "add_cluster": (
            e.add_cluster,
            {"model": ns.Model(), **grown, "stiffness": 1.0, "subdivisions": 0, "seed": 1},
        ),
        "Cluster.drag": (cluster.drag, {"resistance": 1.0}),
        "Cluster.present": (cluster.present, {"t": 1.0}),
        "Cycles": (e.Cycles, {"volume": 1.0, "times": (0.0, 1.0)}),
        "StepFunction": (e.StepFunction, {"value": 1.0, "start": 0.0}),
        "DividingContact": (e.DividingContact, family),
        "add_cell": (e.add_cell, stated),
        "Cell.drag": (cell.drag, {"resistance": 1.0}),
        "Growth": (e.Growth, {"volume": 1.0, "rate": 0.1}),
        "SurfaceContact": (e.SurfaceContact, touch),
        "Pipette": (e.Pipette, {"radius": 1.0, "lip": 0.1}),
        "LineTension": (e.LineTension, {"surface": surface, "edges": [(0, 1)], "tension": 1.0}),
        "ring_of": (e.ring_of, {"surface": surface, "normal": (0, 0, 1), "width": 0.1}),
        "Surface.at_nodes": (surface.at_nodes, {"value": [1.0] * 4}),
        "Model.add_surface": (other.add_surface, {"nodes": nodes, "triangles": FACES}),
        "Surface.mean_curvature": (surface.mean_curvature, {"position": model.initial_state().position}),
        "surface_outputs": (
            ns.surface_outputs,
            {"model": model, "state": model.initial_state(), "surface": surface},
        ),
        "SegmentDrag": (e.SegmentDrag, rod),
        "LayeredSpheres": (e.LayeredSpheres, {"spheres": cells, "resistance": 1.0, "seed": 1, **law}),
        "LayeredSpheres.levels": (layers.levels, {"state": flat.initial_state()}),
        "SegmentDrag.resultants": (drag.resultants, {"position": x, "force": x}),
        "Model.element": (model.element, {"name": "springs"}),
        "Result.surface": (result.surface, {"surface": surface, "index": 0}),
        "Model.add with a name": (
            lambda name: other.add(e.ShellSprings(own, modulus=1.0), name=name),
            {"name": "cortex"},
        ),
        "Surface.at": (surface.at, {"position": model.initial_state().position}),
        "icosphere": (e.icosphere, {"subdivisions": 1}),
        "testing.check_force_element": (testing.check_force_element, {"element": springs, "size": 1.0}),
    }
