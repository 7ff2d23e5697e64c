"""MuJoCo: coordinates of joints, and soft constraints as it has them by default."""

from time import process_time

import mujoco


def boxes(scene):
    """Cubes on a plane, semi-implicit Euler."""
    begun, half, mu = process_time(), scene["half"], scene["mu"]
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/>'
        f'<geom type="box" size="{half} {half} {half}" mass="{mass}" friction="{mu}"/></body>'
        for mass, (x, y, z) in zip(scene["mass"], scene["position"], strict=True)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 -{scene["gravity"]}" timestep="{scene["h"]}"/><worldbody>'
        f'<geom type="plane" size="1 1 1" friction="{mu}"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    found = {"version": mujoco.__version__, "start": process_time() - begun}
    seconds, place, velocity, before = [], [], [], 0.0
    for t in scene["times"]:
        begun = process_time()
        mujoco.mj_step(model, data, nstep=round((t - before) / scene["h"]))
        seconds.append(process_time() - begun)
        before = t
        place.append(data.qpos.reshape(-1, 7)[:, :3].tolist())
        velocity.append(data.qvel.reshape(-1, 6)[:, :3].tolist())
    return {**found, "seconds": seconds, "position": place, "velocity": velocity}


def chain(scene):
    """A tree of hinges, by `integrator`: Euler (semi-implicit) or RK4."""
    xml, inertia = "", " ".join(map(repr, scene["inertia"]))
    for k in reversed(range(scene["links"])):
        xml = (
            f'<body pos="{1.0 if k else 0.0} 0 0"><joint type="hinge" axis="0 0 1"/>'
            f'<inertial pos="0.5 0 0" mass="1" diaginertia="{inertia}"/>{xml}</body>'
        )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 -{scene["gravity"]} 0"/><worldbody>{xml}</worldbody></mujoco>'
    )
    model.opt.timestep = scene["h"]
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{scene['integrator'].upper()}")
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    times = []
    for _ in range(scene["repeats"]):
        data = mujoco.MjData(model)
        begun = process_time()
        mujoco.mj_step(model, data, nstep=round(scene["t"] / scene["h"]))
        times.append(process_time() - begun)
    mujoco.mj_forward(model, data)
    return {"version": mujoco.__version__, "seconds": min(times), "places": data.xipos[1:, :2].tolist()}
