"""Chains of rods in another code, run by its interpreter; see __init__.py.

    peer.py NAME SCENES         a code, and a JSON list of [links, h, t, repeats]; writes a JSON object

Nothing of nsgalpha is imported here.
"""

import json
import sys
from importlib.metadata import version
from time import process_time

G = 9.81
SLENDER = (1e-3, 1 / 12, 1 / 12)  # [kg m^2]


def exudyn(links, h, t, repeats):
    """Rigid bodies and revolute joints, implicit generalized-alpha, rho_inf = 0.8."""
    import exudyn as exu
    import numpy as np
    from exudyn.utilities import RigidBodyInertia

    times = []
    for _ in range(repeats):
        container = exu.SystemContainer()
        system = container.AddSystem()
        last, bodies = system.CreateGround(), []
        for k in range(links):
            inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.diag(SLENDER))
            bodies.append(
                system.CreateRigidBody(inertia=inertia, referencePosition=[k + 0.5, 0, 0], gravity=[0, -G, 0])
            )
            system.CreateRevoluteJoint(bodyNumbers=[last, bodies[-1]], position=[k, 0, 0], axis=[0, 0, 1])
            last = bodies[-1]
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(t / h)
        settings.timeIntegration.endTime = t
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.8
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = t
        if links > 5:
            settings.linearSolverType = exu.LinearSolverType.EigenSparse
        start = process_time()
        system.SolveDynamic(settings)
        times.append(process_time() - start)
    kind = exu.OutputVariableType.Position
    places = [system.GetObjectOutputBody(b, kind, [0, 0, 0])[:2].tolist() for b in bodies]
    return min(times), places


def mujoco_chain(links):
    """A tree of hinges in coordinates of joints."""
    xml = ""
    for k in reversed(range(links)):
        place = f"{1.0 if k else 0.0} 0 0"
        inertia = " ".join(map(repr, SLENDER))
        xml = (
            f'<body pos="{place}"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="{inertia}"/>{xml}</body>'
        )
    return f'<mujoco><option gravity="0 {-G} 0"/><worldbody>{xml}</worldbody></mujoco>'


def mujoco(links, h, t, repeats, integrator="Euler"):
    """Coordinates of joints, semi-implicit Euler."""
    import mujoco as mj

    model = mj.MjModel.from_xml_string(mujoco_chain(links))
    model.opt.timestep = h
    model.opt.integrator = getattr(mj.mjtIntegrator, f"mjINT_{integrator.upper()}")
    model.opt.disableflags |= mj.mjtDisableBit.mjDSBL_CONTACT
    times = []
    for _ in range(repeats):
        data = mj.MjData(model)
        start = process_time()
        mj.mj_step(model, data, nstep=round(t / h))
        times.append(process_time() - start)
    mj.mj_forward(model, data)
    return min(times), data.xipos[1:, :2].tolist()


def mujoco_rk4(links, h, t, repeats):
    """Coordinates of joints, explicit Runge-Kutta of order 4."""
    return mujoco(links, h, t, repeats, "RK4")


#: Name, package, function.
CODES = {"Exudyn": ("exudyn", exudyn), "MuJoCo": ("mujoco", mujoco), "MuJoCo RK4": ("mujoco", mujoco_rk4)}


def main():
    """Run all scenes of one code."""
    package, function = CODES[sys.argv[1]]
    answers = [function(*scene) for scene in json.loads(sys.argv[2])]
    print(json.dumps({"version": version(package), "runs": answers}))


if __name__ == "__main__":
    main()
