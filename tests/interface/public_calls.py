"""Public functions, classes and methods with valid arguments, for test_hostile_arguments.py.

Every function of AREAS returns some of them, {name: (callable, arguments)}; it may write to a folder.
Arguments that have a default may be left out.
"""

from functools import cache, wraps
from shutil import copy

import numpy as np

import elements as e
import nsgalpha as ns
from elements import geometry
from nsgalpha import case, contact, forces, show, testing
from nsgalpha.case import layouts, named_loads, plane_groups
from nsgalpha.io import fclib
from tests.constraints.jointed_models import pendulum
from tests.interface.public_drives import drives
from tests.interface.public_laws import LINKS, numbers_of_laws, parameter_sets
from tests.interface.public_open_boundaries import open_boundaries
from tests.interface.public_shells import shells
from tests.interface.public_solids import solids
from tests.interface.public_sweeps import sweeps
from tests.io.test_rockable_file import written

#: Classes whose objects a model, a run or a file makes; users read them.
MADE_FOR_USERS = {
    *(
        *("Body", "Cell", "Cluster", "ServoWall"),
        "Plane",
        "Primitive",
        "Surface",
        "SurfaceOutputs",
        "CompliantContacts",
        "Contacts",
        "Equilibrium",
        *("Event", "Events"),
        "Impact",
        "CellSeries",
        "ContactNetwork",
        "MeanStress",
        "MeshReport",
        "MotionAt",
        "Moment",
    ),
    *("Assembly", "Separation", "Budget", "Coordinate", "Reaction", "RedundantJoints", "Robot"),
    *("Result", "Series", "Statistics", "Status", "StepFailed"),
}
BALL = {"radius": 0.1, "mass": 1.0, "position": (0, 0, 0.1)}
CORNERS = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]


class World:
    """A model with one of everything."""

    def __init__(self):
        self.model = model = ns.Model(gravity=(0, 0, -10))
        self.a = model.add_sphere(**BALL, name="a")
        self.b = model.add_sphere(**BALL | {"position": (1, 0, 0.1)}, name="b")
        self.shell = model.add_sphere(**BALL | {"radius": 5.0, "position": (0, 0, 20)}, name="shell")
        self.floor = model.add_plane(normal=(0, 0, 1), name="floor")
        self.spheres = [self.a, self.b]
        self.balls, self.rods, self.faces = (
            [model.add_primitive(CORNERS[:n], radius=0.1, carrier=body) for body in self.spheres]
            for n in (1, 2, 3)
        )
        self.skins = [model.add_primitive(CORNERS[:3], carrier=body) for body in self.spheres]


@cache
def run():
    """A ball on a soft floor, and one with a counting law."""
    world = World()
    laws_of = {
        world.a: e.LudingNormal(stiffness=1e4, plastic_stiffness=5e3),
        world.b: e.SpringDashpot(stiffness=1e4),
    }
    soft = [
        world.model.add(e.CompliantSpherePlane(ball, world.floor, normal=law))
        for ball, law in laws_of.items()
    ]
    return world, soft[0], ns.simulate(world.model, t_end=2e-3, h=1e-3)


def models(folder):
    """Models and their parts."""
    w = World()
    body = {"mass": 1.0, "position": (0, 0, 0)}
    still = np.zeros(3), np.zeros(3)
    return {
        "Model": (ns.Model, {}),
        "Model with a cell": (ns.Model, {"periodic": (1.0, 1.0, None)}),
        "Model.wrap": (w.model.wrap, {"position": (0, 0, 0)}),
        "Model.add_sphere": (w.model.add_sphere, BALL),
        "Model.add_spheres": (w.model.add_spheres, BALL | {"position": [(0, 0, 0.1), (1, 0, 0.1)]}),
        "Model.add_body": (w.model.add_body, body | {"inertia": 1.0}),
        "Model.add_point": (w.model.add_point, body),
        "Model.add_primitive": (w.model.add_primitive, {"corners": CORNERS}),
        "Model.add_mesh": (w.model.add_mesh, {"vertices": CORNERS, "polygons": [[0, 1, 2]]}),
        "Model.add_plane": (w.model.add_plane, {"normal": (0, 0, 1)}),
        "Model.add_plane that moves": (
            w.model.add_plane,
            {"normal": (0, 0, 1), "motion": lambda t: still},
        ),
        "Model.add_load": (w.model.add_load, {"load": lambda t, state: state.velocity}),
        "Model.add": (lambda element: w.model.add(element), {"element": e.SpherePlane(w.a, w.floor)}),
        "Model.body": (w.model.body, {"name": "a"}),
        "Model.plane": (w.model.plane, {"name": "floor"}),
        "State": (ns.State, fields_of(run()[2].state())),
    }


def fields_of(state):
    """The fields of a state by name."""
    return {name: getattr(state, name) for name in state.__dataclass_fields__}


def runs(folder):
    """Runs and their settings."""
    world, _, result = run()
    state, file = result.state(), folder / "run.h5"
    drag = e.Drag(world.spheres, translational=1.0)
    still = World().model
    ns.simulate(still, t_end=1e-3, h=1e-3, recording=ns.Recording(file=file, overwrite=True))
    measured = {"name": "height", "quantity": lambda now: now.t}

    @wraps(ns.State)
    def from_state(**fields):
        ns.step(world.model, ns.State(**fields), 1e-3)

    @wraps(ns.resume)
    def resumed(path, **given):
        return ns.resume(copy(file, folder / "copy.h5") if path is file else path, **given)

    return {
        "simulate": (ns.simulate, {"model": world.model, "t_end": 1e-3, "h": 1e-3}),
        "simulate with located impacts": (
            ns.simulate,
            {"model": still, "t_end": 1e-3, "h": 1e-3, "impacts": "located"},
        ),
        "simulate to an accuracy": (ns.simulate, {"model": still, "t_end": 1e-3, "accuracy": 1e-3}),
        "Result.at": (ns.simulate(still, t_end=1e-3, h=1e-3).at, {"times": [5e-4]}),
        "step": (ns.step, {"model": world.model, "state": state, "h": 1e-3}),
        "step from a State": (from_state, fields_of(state)),
        "resume": (resumed, {"path": file, "t_end": 2e-3}),
        "assemble": (ns.assemble, {"model": world.model, "state": state}),
        "separate": (ns.separate, {"model": world.model, "state": state}),
        "load": (ns.load, {"path": file}),
        "equilibrium": (ns.equilibrium, {"model": still}),
        "compliant_contacts": (ns.compliant_contacts, {"model": world.model, "state": state}),
        "Recording": (ns.Recording, {"file": folder / "x.h5"}),
        "GeneralizedAlpha": (ns.GeneralizedAlpha, {}),
        "MoreauJean": (ns.MoreauJean, {}),
        "VelocityVerlet": (ns.VelocityVerlet, {}),
        "Overdamped": (ns.Overdamped, {"resistance": drag}),
        "SemiImplicit": (ns.SemiImplicit, {"resistance": [drag]}),
        "Sensor": (ns.Sensor, measured),
        "StopWhen": (ns.StopWhen, {"condition": lambda now: False}),
        "OnImpact": (ns.OnImpact, {"call": lambda impact: None}),
    }


def results(folder):
    """Requests to a result."""
    world, soft, result = run()
    found = result.compliant_contacts()
    return {
        "Result.energy": (result.energy, {}),
        "Result.contacts_of": (result.contacts_of, {"a": world.a, "b": "floor"}),
        "Result.to_pandas": (result.to_pandas, {}),
        "Result.save": (result.save, {"path": folder / "saved.h5", "overwrite": True}),
        "contact_network": (ns.contact_network, {"result": result, "gap": 0.0, "least": 2}),
        "granular_temperature": (ns.granular_temperature, {"result": result}),
        "mean_stress": (ns.mean_stress, {"result": result, "volume": 1.0, "velocity": (0, 0, 0)}),
        "Result.state": (result.state, {}),
        "Result.compliant_contacts": (result.compliant_contacts, {}),
        "Contacts.at": (result.contacts.at, {"index": -1}),
        "Contacts.forces": (result.contacts.forces, {"index": -1}),
        "CompliantContacts.of": (found.of, {"element": soft}),
        "CompliantContacts.surface_tension": (found.surface_tension, {"triangles": [6.0] * 3}),
        "CompliantContacts.virial_stress": (found.virial_stress, {"volume": 1.0}),
    }


CASE = """
bodies = [{ type = "point", position = [0, 0, 0], mass = 1.0 }]
run = { t_end = 1.0, h = 0.5 }
"""


def forms_of_cases(folder):
    """Cases, and their contents: motions, loads, layouts, walls."""
    w, file, cube = World(), folder / "case.toml", {"low": (0, 0, 0), "high": (1, 1, 1)}
    file.write_text(CASE)
    spring = {"bodies": [w.a], "point": (0, 0, 1), "stiffness": 1.0}
    return {
        "case.parse_case": (case.parse_case, {"text": CASE}),
        "case.load_case": (case.load_case, {"path": file}),
        "forms.Force": (named_loads.Force, {"bodies": w.a, "force": (0, 0, 1)}),
        "forms.SpringToPoint": (named_loads.SpringToPoint, spring),
        "layouts.grid": (layouts.grid, {"count": [1, 1, 1], "spacing": 1.0}),
        "layouts.rack": (layouts.rack, {"rows": 2, "radius": 0.1, "apex": (0, 0, 0)}),
        "layouts.diamond": (layouts.diamond, {"radius": 0.1, "apex": (0, 0, 0)}),
        "layouts.column": (layouts.column, {"count": 2, "radius": 0.1}),
        "layouts.hexagonal": (layouts.hexagonal, {"count": [1, 1, 1], "radius": 0.1}),
        "layouts.uniform_sizes": (layouts.uniform_sizes, {"count": 2, "least": 0.1, "largest": 0.2}),
        "layouts.lognormal_sizes": (layouts.lognormal_sizes, {"count": 2, "median": 0.1, "deviation": 0.2}),
        "layouts.sieved_sizes": (layouts.sieved_sizes, {"count": 2, "openings": [1, 2], "passing": [0, 1]}),
        "layouts.random_packing": (
            layouts.random_packing,
            {"radius": [0.1], "solid_fraction": 0.001} | cube,
        ),
        "walls.box": (plane_groups.box, cube),
        "walls.ring": (plane_groups.ring, {"sides": 6, "radius": 1.0, "axis": (0, 0, 1)}),
    }


LAW = {"normal": e.Hertz(modulus=1e6)}
FLAT = {"normal": e.SpringDashpot(stiffness=1e6)}  # between faces, which have no radius


def elements_of_pairs(folder):
    """Contact of spheres with spheres, planes and shells."""
    w = World()
    plane = {"spheres": w.spheres, "planes": w.floor}
    shell = {"spheres": w.spheres, "shell": w.shell}
    pairs, sets = {"pairs": [(w.a, w.b)]}, {"between": ([w.a], [w.b])}
    return {
        "SphereSphere": (e.SphereSphere, {"among": w.spheres, "mu": 0.1}),
        "SphereSphere of pairs": (e.SphereSphere, pairs),
        "SphereSphere of two sets": (e.SphereSphere, sets),
        "SpherePlane": (e.SpherePlane, plane | {"mu": 0.1}),
        "SpherePolygon": (e.SpherePolygon, {"spheres": w.shell, "polygons": w.faces, "mu": 0.1}),
        "SphereInShell": (e.SphereInShell, shell | {"mu": 0.1}),
        "CapsulePlane": (e.CapsulePlane, {"capsules": w.rods, "planes": w.floor, "mu": 0.1}),
        "CapsuleSphere": (e.CapsuleSphere, {"capsules": w.rods, "spheres": w.shell, "mu": 0.1}),
        "CapsuleCapsule": (e.CapsuleCapsule, {"among": w.rods, "mu": 0.1}),
        "CapsuleCapsule of two sets": (e.CapsuleCapsule, {"between": (w.rods[:1], w.rods[1:])}),
        "Compliant": (e.Compliant, {"pairs": e.SpherePlane(w.a, w.floor), **LAW}),
        "CompliantSphereSphere": (e.CompliantSphereSphere, {"among": w.spheres, **LAW}),
        "CompliantSphereSphere of pairs": (e.CompliantSphereSphere, pairs | LAW),
        "CompliantSphereSphere of two sets": (e.CompliantSphereSphere, sets | LAW),
        "CompliantSpherePlane": (e.CompliantSpherePlane, plane | LAW),
        "CompliantSphereInShell": (e.CompliantSphereInShell, shell | LAW),
    }


def elements_of_primitives(folder):
    """Contact of primitives."""
    w = World()
    found = {
        "CompliantSurfaces": {"geometry": geometry.measure_sphere_sphere, "a": w.balls[:1], "b": w.balls[1:]},
        "CompliantPrimitiveSpheres": {"among": w.balls},
        "CompliantCapsules": {"among": w.rods},
        "CompliantCapsuleSphere": {"capsules": w.rods, "spheres": w.balls},
        "CompliantCylinderSphere": {"cylinders": w.rods, "spheres": w.balls},
        "CompliantDiskSphere": {"disks": w.rods, "spheres": w.balls},
        "CompliantPolygonSphere": {"polygons": w.faces, "spheres": w.balls},
        "CompliantPolygonCapsule": {"polygons": w.faces, "capsules": w.rods},
        "CompliantPolygons": {"among": w.faces},
    }
    found["RoundedTriangles"] = {"triangles": w.skins, "radius": [9.0] * 2, "centre": [(0, 0, -9.0)] * 2}
    laws = {"CompliantPolygons": FLAT}
    made = {name: (getattr(e, name), sides | laws.get(name, LAW)) for name, sides in found.items()}
    rounded = {"triangles": w.skins[:1], "others": w.balls[1:], "area": "hertz", "quadrature": "printed"}
    rounded |= {"friction_by": "thirds", "steepest": 5.0}
    made["RoundedTriangles of two sets"] = (e.RoundedTriangles, rounded | LAW)
    element = w.model.add(e.RoundedTriangles(w.skins, **LAW))
    given = {"model": w.model, "state": w.model.initial_state(), "element": element}
    made["contact_patches"] = (e.contact_patches, given)
    for name, (one, two) in (("PrimitiveSpheres", w.balls), ("Capsules", w.rods), ("Polygons", w.faces)):
        name = f"Compliant{name}"
        given = {"between": ([one], [two])} | laws.get(name, LAW)
        made[f"{name} of two sets"] = (getattr(e, name), given)
    return made


def joints(folder):
    """Joints and markers, and requests to them."""
    model, rod, pin = pendulum()
    result = ns.simulate(model, t_end=2e-3, h=1e-3)
    w = World()
    sides = {"a": w.a, "b": w.b}
    point, about = {"point": (0, 0, 0)}, {"point": (0, 0, 0), "axis": (0, 0, 1)}
    points, on_pin = {"points": ((0, 0, 0), (1, 0, 0))}, {"joint": pin, "coordinate": "angle", "name": "it"}
    return {
        "Rope": (e.Rope, sides | points | {"length": 9.0, "e_n": 0.5, "name": "it"}),
        "Limit": (e.Limit, on_pin | {"low": -1.0, "high": 1.0, "e_n": 0.5}),
        "JointFriction": (e.JointFriction, on_pin | {"bound": 1.0, "mu": 0.1, "radius": 0.1}),
        "SpeedMotor": (e.SpeedMotor, on_pin | {"speed": [(0.0, 1.0), (1.0, 2.0)], "strength": 1.0}),
        "Marker": (e.Marker, {"carrier": w.a, "position": (0, 0, 1), "second": (1, 0, 0)}),
        **{name: (getattr(e, name), sides | point) for name in ("Spherical", "Rigid")},
        **{name: (getattr(e, name), sides | about) for name in ("Revolute", "Cylindrical", "Prismatic")},
        "Planar": (e.Planar, sides | point | {"normal": (0, 0, 1)}),
        "Universal": (e.Universal, sides | about | {"second": (1, 0, 0)}),
        "Distance": (e.Distance, sides | points),
        "Link": (e.Link, sides | points | {"axis": (0, 0, 1)}),
        "Result.reaction": (result.reaction, {"joint": pin}),
        "Result.constraint_reaction": (result.constraint_reaction, {"joint": pin}),
        "Result.reaction_impulse": (result.reaction_impulse, {"joint": "pin"}),
        "Result.coordinate": (result.coordinate, {"joint": pin}),
        "Model.add of a joint": (
            lambda element: model.add(element),
            {"element": e.Spherical(None, rod, **point)},
        ),
    }


def other_elements(folder):
    """Springs, drags, groups, glue."""
    w, glue = World(), World()
    spring = {"pairs": [(w.a, w.b)], "stiffness": 1.0}
    glue.model.add(e.CompliantSphereSphere(pairs=[(glue.a, glue.b)], contact=LINKS, reach=5.0))
    _, soft, result = run()
    groups = {"groups": {"one": w.a, "two": w.b}, "table": {("one", "two"): LAW}}
    return {
        "PointPairs": (e.PointPairs, {"pairs": [(w.a, w.b)]}),
        "read_rockable": (e.read_rockable, {"path": written(folder)}),
        "Spring": (e.Spring, spring),
        "Maxwell": (e.Maxwell, spring | {"dashpot": 1.0}),
        "Dashpot": (e.Dashpot, {"pairs": [(w.a, (0, 0, 5))], "damping": 1.0}),
        "Drag": (e.Drag, {"bodies": w.spheres, "translational": 1.0}),
        "Drag.stokes": (e.Drag.stokes, {"spheres": w.spheres, "viscosity": 1.0}),
        "by_group": (e.by_group, groups),
        "glued": (e.glued, {"model": glue.model, "gap": 2.0}),
        "dissipation": (e.dissipation, {"result": result, "element": soft}),
        "luding": (e.luding, {"a": e.LudingMaterial(), "stiffness": 1.0}),
    }


def pictures(folder):
    """Pictures of a result."""
    result, size = {"result": run()[2]}, {"size": (16, 12)}
    return {
        **{
            name: (getattr(show, name), result)
            for name in (
                "contact_bars",
                "energies",
                "gaps",
                "iterations",
                "look",
                "network",
                "overview",
                "paths",
                "speeds",
                "statuses",
            )
        },
        "still": (show.still, result | size),
        "film": (show.film, result | size | {"path": folder / "film.gif", "fps": 1}),
        "viewer": (show.viewer, result | {"path": folder / "page.html"}),
        "embedded": (show.embedded, result),
        "view": (ns.view, {"thing": run()[2]}),
        "paraview": (show.paraview, result | {"folder": folder / "vtk"}),
        "Camera": (show.Camera, {"eye": (1, 0, 0), "target": (0, 0, 0)}),
    }


def problems(folder):
    """Contact problems."""
    local = {"W": np.eye(3), "q": [-1.0, 0.5, 0.0], "mu": [0.2]}
    whole = {"M": np.eye(3), "H": np.eye(3), "f": [0.0, 0.0, 0.0], "w": [-1.0, 0.5, 0.0], "mu": [0.2]}
    whole |= {"G": np.ones((3, 1)), "b": [0.5]}
    problem = contact.ContactProblem(**local)
    r = {"r": [1.0, 0.0, 0.0]}
    path = {"path": folder / "problem.h5"}
    return {
        "contact.ContactProblem": (contact.ContactProblem, local),
        "contact.ContactProblem with radii": (
            contact.ContactProblem,
            {**local, "W": np.eye(6), "q": np.ones(6), "rolling_radius": [0.1], "drilling_radius": [0.1]},
        ),
        "contact.ContactProblem with joints": (
            contact.ContactProblem,
            {"W": np.eye(8), "q": np.ones(8), "mu": [0.2], "bilateral": 2, "bounds": [1.0, 2.0]}
            | {"bound_rows": [1, 2]},
        ),
        "contact.ContactProblem.from_global": (contact.ContactProblem.from_global, whole),
        "contact.ContactProblem.velocities": (problem.velocities, r),
        "contact.ContactProblem.natural_map": (problem.natural_map, r),
        "contact.ContactProblem.residual": (problem.residual, r),
        "contact.solve": (contact.solve, {"problem": problem}),
        "fclib.write": (fclib.write, path | {"problem": problem}),
        "fclib.write_global": (fclib.write_global, path | whole),
    }


def functions_of_arrays(folder):
    """Laws and geometries alone, and their checks."""
    law = e.Hertz(modulus=1e6)
    A, B = (geometry.primitives([[place]], 0.1) for place in ((0, 0, 0), (0, 0, 0.1)))
    sphere = {"measure": geometry.measure_sphere_sphere, "A": A, "B": B}
    scene = {"corners_a": [[(0, 0, 0)]], "radius_a": [0.1], "corners_b": [[(0, 0, 0.1)]], "radius_b": [0.1]}

    def of_spheres(corners_a, radius_a, corners_b, radius_b):
        sides = geometry.primitives(corners_a, radius_a), geometry.primitives(corners_b, radius_b)
        return geometry.measured(geometry.measure_sphere_sphere, *sides)

    return {
        "forces.CompliantLaw": (forces.CompliantLaw, LAW),
        "forces.evaluate": (
            lambda law, overlap, rate, radius, h: forces.evaluate(
                law, overlap=overlap, rate=rate, radius=radius, h=h
            ),
            {"law": law, "overlap": [1e-3], "rate": [0.0], "radius": 1.0, "h": 1.0},
        ),
        "forces.law_kernel": (forces.law_kernel, {"function": lambda contact, response, p: None}),
        "forces.some_contacts": (forces.some_contacts, {}),
        "geometry.measured": (geometry.measured, sphere),
        "geometry.primitives": (geometry.primitives, {"corners": [CORNERS]}),
        "testing.check_geometry": (
            testing.check_geometry,
            {"measure": of_spheres, **scene, "continuous": ""},
        ),
        "testing.check_law": (testing.check_law, {"overlap": 1e-4, "speed": 0.3, "cycles": 1, **LAW}),
    }


AREAS = (
    models,
    runs,
    results,
    sweeps,
    forms_of_cases,
    elements_of_pairs,
    elements_of_primitives,
    shells,
    solids,
    open_boundaries,
    other_elements,
    joints,
    drives,
    parameter_sets,
    numbers_of_laws,
    pictures,
    problems,
    functions_of_arrays,
)
