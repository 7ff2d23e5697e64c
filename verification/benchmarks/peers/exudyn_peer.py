"""Exudyn: general contact in explicit steps, and revolute joints in implicit ones."""

import math
from importlib.metadata import version
from time import process_time

import exudyn as exu
import numpy as np
from exudyn.utilities import InertiaSphere, MarkerBodyRigid, RigidBodyInertia

ZONE = 1e-3  # [m/s] of its regularised friction


def _filled(scene, low, high, law):
    """Spheres in an open box from `low` to `high`, and settings; springs act in series."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    contact = system.AddGeneralContact()
    contact.frictionProportionalZone = ZONE
    contact.SetFrictionPairings(np.array(law["mu"]))
    cells = np.maximum((high - low) / (2.0 * scene["radius"][0]), 1).astype(int)
    contact.SetSearchTreeCellSize(numberOfCells=cells.tolist())
    twice = {"contactStiffness": 2 * law["stiffness"], "contactDamping": 2 * law["damping"]}
    ground = system.AddMarker(MarkerBodyRigid(bodyNumber=system.CreateGround()))
    ends = [*zip(low, high, strict=True)]
    corners = [np.array([x, y, z]) for z in ends[2] for y in ends[1] for x in ends[0]]
    quads = ((0, 1, 3, 2), (0, 2, 6, 4), (1, 5, 7, 3), (0, 4, 5, 1), (2, 3, 7, 6))  # normals inwards
    triangles = [np.array(quad)[list(three)] for quad in quads for three in ((0, 1, 2), (0, 2, 3))]
    contact.AddTrianglesRigidBodyBased(
        rigidBodyMarkerIndex=ground,
        pointList=corners,
        triangleList=triangles,
        frictionMaterialIndex=len(law["mu"]) - 1,
        **twice,
    )
    bodies = []
    velocity = scene.get("velocity") or np.zeros((len(scene["radius"]), 3)).tolist()
    given = scene["position"], velocity, scene["radius"], scene["mass"]
    for place, speed, radius, mass in zip(*given, strict=True):
        body = system.CreateRigidBody(
            inertia=InertiaSphere(mass, radius),
            nodeType=exu.NodeType.RotationRotationVector,
            referencePosition=place,
            initialVelocity=speed,
            gravity=[0.0, 0.0, -scene["gravity"]],
        )
        contact.AddSphereWithMarker(
            system.AddMarker(MarkerBodyRigid(bodyNumber=body)),
            radius=radius,
            frictionMaterialIndex=0,
            **twice,
        )
        bodies.append(body)
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.explicitIntegration.computeEndOfStepAccelerations = False
    settings.timeIntegration.explicitIntegration.computeMassMatrixInversePerBody = True
    settings.linearSolverType = exu.LinearSolverType.EigenSparse
    settings.solutionSettings.writeSolutionToFile = False
    return container, system, bodies, settings


def balls(scene):
    """Spheres in a box, from rest."""
    begun, law = process_time(), scene["law"]
    size = np.array(scene["position"]).max(axis=0) + scene["radius"][0]
    law = {**law, "mu": [[law["mu"]]]}
    _keep, system, bodies, settings = _filled(scene, np.zeros(3), size * [1.0, 1.0, 2.0], law)
    found = {"version": version("exudyn"), "start": process_time() - begun}
    seconds, before, steps = [], 0.0, exu.DynamicSolverType.VelocityVerlet
    places: list[list[list[float]]] = []
    velocities: list[list[list[float]]] = []
    kinds = exu.OutputVariableType.Position, exu.OutputVariableType.Velocity
    for t in scene["times"]:
        settings.timeIntegration.numberOfSteps = round((t - before) / scene["h"])
        settings.timeIntegration.startTime, settings.timeIntegration.endTime = before, t
        begun = process_time()
        system.SolveDynamic(settings, solverType=steps, updateInitialValues=True)
        seconds.append(process_time() - begun)
        before = t
        for kind, kept in zip(kinds, (places, velocities), strict=True):
            kept.append([list(system.GetObjectOutputBody(body, kind, [0, 0, 0])) for body in bodies])
    return {**found, "seconds": seconds, "position": places, "velocity": velocities}


STEPS = 10  # of a contact of two balls, in `table`


def table(scene):
    """Balls within four cushions; the restitution of the balls for all contacts."""
    count, (mu, e) = len(scene["position"]), scene["balls"]
    half, mass = 0.5 * np.array(scene["size"]), 0.5 * scene["mass"]
    frequency = math.pi / (STEPS * scene["h"])
    damping = -math.log(e) / math.hypot(math.pi, math.log(e))
    law = {"stiffness": mass * frequency**2, "damping": 2.0 * damping * mass * frequency}
    law["mu"] = [[mu, scene["mu"]], [scene["mu"], 0.0]]
    spheres = {**scene, "radius": [scene["radius"]] * count, "mass": [scene["mass"]] * count}
    seconds, steps = [], exu.DynamicSolverType.VelocityVerlet
    for _ in range(scene["repeats"]):
        _keep, system, bodies, settings = _filled(
            spheres, np.array([*-half, 0.0]), np.array([*half, 0.5]), law
        )
        settings.timeIntegration.numberOfSteps = round(scene["t"] / scene["h"])
        settings.timeIntegration.endTime = scene["t"]
        begun = process_time()
        system.SolveDynamic(settings, solverType=steps)
        seconds.append(process_time() - begun)
    kind = exu.OutputVariableType.Velocity
    velocity = [list(system.GetObjectOutputBody(body, kind, [0, 0, 0])) for body in bodies]
    return {"version": version("exudyn"), "seconds": min(seconds), "velocity": velocity}


def chain(scene):
    """Rigid bodies and revolute joints, implicit generalized-alpha, rho_inf = 0.8."""
    times = []
    for _ in range(scene["repeats"]):
        container = exu.SystemContainer()
        system = container.AddSystem()
        last, bodies = system.CreateGround(), []
        for k in range(scene["links"]):
            inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(scene["inertia"]))
            place, gravity = [k + 0.5, 0, 0], [0, -scene["gravity"], 0]
            bodies.append(system.CreateRigidBody(inertia=inertia, referencePosition=place, gravity=gravity))
            system.CreateRevoluteJoint(bodyNumbers=[last, bodies[-1]], position=[k, 0, 0], axis=[0, 0, 1])
            last = bodies[-1]
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(scene["t"] / scene["h"])
        settings.timeIntegration.endTime = scene["t"]
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = scene["t"]
        if scene["links"] > 5:
            settings.linearSolverType = exu.LinearSolverType.EigenSparse
        start = process_time()
        system.SolveDynamic(settings)
        times.append(process_time() - start)
    kind = exu.OutputVariableType.Position
    places = [system.GetObjectOutputBody(body, kind, [0, 0, 0])[:2].tolist() for body in bodies]
    return {"version": version("exudyn"), "seconds": min(times), "places": places}
