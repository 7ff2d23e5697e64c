"""MuJoCo: coordinates of joints, and soft constraints as it has them by default."""

import math
from time import process_time

import mujoco
import numpy as np


def boxes(scene):
    """Equal boxes on a plane, semi-implicit Euler."""
    begun, half, mu = process_time(), scene["half"], scene["mu"]
    size = " ".join(map(str, half if isinstance(half, list) else [half] * 3))
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/>'
        f'<geom type="box" size="{size}" mass="{mass}" friction="{mu}"/></body>'
        for mass, (x, y, z) in zip(scene["mass"], scene["position"], strict=True)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 -{scene["gravity"]}" timestep="{scene["h"]}"/><worldbody>'
        f'<geom type="plane" size="1 1 1" friction="{mu}"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    found = {"version": mujoco.__version__, "start": process_time() - begun}
    seconds, place, turn, velocity, before = [], [], [], [], 0.0
    for t in scene["times"]:
        begun = process_time()
        mujoco.mj_step(model, data, nstep=round((t - before) / scene["h"]))
        seconds.append(process_time() - begun)
        before = t
        place.append(data.qpos.reshape(-1, 7)[:, :3].tolist())
        turn.append(data.qpos.reshape(-1, 7)[:, 3:].tolist())
        velocity.append(data.qvel.reshape(-1, 6)[:, :3].tolist())
    return {**found, "seconds": seconds, "position": place, "rotation": turn, "velocity": velocity}


STEPS = 10  # of a contact of two balls, in `table`


def _pair(one, two, law, h):
    """A contact of coefficients (friction, restitution): an oscillator whose half period takes STEPS."""
    mu, e = law
    frequency = math.pi / (STEPS * h)
    damping = 1.0 if e == 0.0 else -math.log(e) / math.hypot(math.pi, math.log(e))
    return (
        f'<pair geom1="{one}" geom2="{two}" condim="3" friction="{mu} {mu} 0 0 0" '
        f'solimp="0.9999 0.9999 0.001" solref="{-(frequency**2)} {-2.0 * damping * frequency}"/>'
    )


def table(scene):
    """Balls within four cushions, implicit in velocities; a stiff contact for each pair."""
    radius, h, count = scene["radius"], scene["h"], len(scene["position"])
    bodies = "".join(
        f'<body pos="{x} {y} {z}"><freejoint/><geom name="ball{k}" type="sphere" size="{radius}" '
        f'mass="{scene["mass"]}" contype="0" conaffinity="0"/></body>'
        for k, (x, y, z) in enumerate(scene["position"])
    )
    x, y = (0.5 * size for size in scene["size"])
    walls = ("-1 0 0", x, 0.0), ("1 0 0", -x, 0.0), ("0 -1 0", 0.0, y), ("0 1 0", 0.0, -y)
    planes = '<geom name="cloth" type="plane" size="9 9 9" contype="0" conaffinity="0"/>' + "".join(
        f'<geom name="cushion{k}" type="plane" size="9 9 9" pos="{x} {y} 0" zaxis="{normal}" contype="0" '
        'conaffinity="0"/>'
        for k, (normal, x, y) in enumerate(walls)
    )
    balls = [f"ball{k}" for k in range(count)]
    pairs = [_pair(one, two, scene["balls"], h) for k, one in enumerate(balls) for two in balls[:k]]
    for ball in balls:
        pairs.append(_pair(ball, "cloth", (scene["mu"], 0.0), h))
        pairs += [_pair(ball, f"cushion{k}", (scene["mu"], scene["e_n"]), h) for k in range(4)]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 0 -{scene["gravity"]}" timestep="{h}" cone="elliptic" '
        f'integrator="implicitfast"/><worldbody>{planes}{bodies}</worldbody>'
        f"<contact>{''.join(pairs)}</contact></mujoco>"
    )
    seconds = []
    for _ in range(scene["repeats"]):
        data = mujoco.MjData(model)
        data.qvel.reshape(-1, 6)[:, :3] = scene["velocity"]
        begun = process_time()
        mujoco.mj_step(model, data, nstep=round(scene["t"] / h))
        seconds.append(process_time() - begun)
    velocity = data.qvel.reshape(-1, 6)[:, :3].tolist()
    return {"version": mujoco.__version__, "seconds": min(seconds), "velocity": velocity}


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


def _geometry(kind, size):
    """Attributes of a shape, and a mesh for a hull."""
    if kind == "hull":
        points = " ".join(map(repr, np.ravel(size[0]).tolist()))
        return 'type="mesh" mesh="hull"', f'<asset><mesh name="hull" vertex="{points}"/></asset>'
    halves = np.ravel(size).tolist()
    if kind in ("box", "capsule", "cylinder"):
        halves = [0.5 * x for x in halves] if kind == "box" else [halves[0], 0.5 * halves[1]]
    kind = "sphere" if kind == "ball" else kind
    return f'type="{kind}" size="{" ".join(map(repr, halves))}"', ""


def distances(scene):
    """Distances of two shapes at poses (rotation matrix, place), negative where they overlap; no cones."""
    attributes, assets = zip(*(_geometry(*shape) for shape in scene["shapes"]), strict=True)
    bodies = "".join(f'<body mocap="true"><geom {each}/></body>' for each in attributes)
    option = '<option ccd_tolerance="1e-12" ccd_iterations="1000"/>'
    asset = max(assets)
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{option}{asset}<worldbody>{bodies}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turned, moved = np.empty((2, 3, 3)), np.empty(3)
    for k in range(2):  # of meshes, which have principal axes
        turned[k] = data.geom_xmat[k].reshape(3, 3)
    offsets = data.geom_xpos.copy()
    found, begun = [], process_time()
    for pose in zip(*scene["poses"], strict=True):
        for k, (turn, place) in enumerate(pose):
            turn = np.array(turn)
            moved[:] = place
            data.geom_xmat[k], data.geom_xpos[k] = (turn @ turned[k]).ravel(), moved + turn @ offsets[k]
        found.append(mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None))
    return {"version": mujoco.__version__, "seconds": process_time() - begun, "distance": found}


OPTIONS = {"integrator": "mjtIntegrator.mjINT_", "cone": "mjtCone.mjCONE_"}


def _robot_model(scene):
    """A robot from a URDF file with position servos; `settings` change options, geoms and joints."""
    settings, spec = scene["settings"], mujoco.MjSpec.from_string(scene["urdf"])
    spec.option.timestep, spec.option.gravity = scene["h"], (0.0, 0.0, -scene["gravity"])
    world = spec.worldbody
    if "base" in scene:
        base = spec.body(scene["base"])
        base.pos, base.quat = scene["pose"]
        base.add_freejoint()
    world.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=(1.0, 1.0, 1.0))
    for box in scene.get("boxes", []):
        body = world.add_body(name=box["name"], pos=box["position"])
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5 * x for x in box["size"]], mass=box["mass"])
    first, second = (set(names) for names in scene["pairs"])
    for geom in spec.geoms:
        owner = "floor" if geom.name == "floor" else geom.parent.name
        geom.contype, geom.conaffinity = int(owner in first), int(owner in second)
        geom.friction[0] = scene["mu"]
        for name in {"solref", "solimp"} & set(settings):
            getattr(geom, name)[: len(settings[name])] = settings[name]
    on_joint = {"trntype": mujoco.mjtTrn.mjTRN_JOINT}
    for name, servo in scene["servos"].items():
        spec.joint(name).damping[0], spec.joint(name).armature = (
            servo["damping"],
            settings.get("armature", 0.0),
        )
        own = spec.add_actuator(name=name, target=name, biastype=mujoco.mjtBias.mjBIAS_AFFINE, **on_joint)
        own.gainprm[0], own.biasprm[1] = servo["stiffness"], -servo["stiffness"]
    for name in scene.get("motors", {}):
        spec.joint(name).armature = settings.get("finger_armature", 0.0)
        spec.add_actuator(name=name, target=name, **on_joint)
    for name, value in settings.get("option", {}).items():
        kind, _, begin = OPTIONS.get(name, "").partition(".")
        setattr(spec.option, name, getattr(getattr(mujoco, kind), begin + value) if kind else value)
    return spec.compile()


def robot(scene):
    """A robot with servos and motors that follow tables."""
    begun = process_time()
    model = _robot_model(scene)
    data = mujoco.MjData(model)
    for name, value in scene["start"].items():
        data.joint(name).qpos[0] = value
    steps = np.arange(round(scene["times"][-1] / scene["h"])) * scene["h"]
    control = np.empty((len(steps), model.nu))
    tables = {name: servo["target"] for name, servo in scene["servos"].items()} | scene.get("motors", {})
    for name, table in tables.items():
        control[:, model.actuator(name).id] = np.interp(steps, *np.transpose(table))
    bodies = [model.body(name).id for name in scene["bodies"]]
    found = {"version": mujoco.__version__, "start": process_time() - begun}
    seconds, place, turn, at = [], [], [], 0
    for t in scene["times"]:
        begun, until = process_time(), round(t / scene["h"])
        for k in range(at, until):
            data.ctrl = control[k]
            mujoco.mj_step(model, data)
        seconds.append(process_time() - begun)
        at = until
        mujoco.mj_kinematics(model, data)
        place.append(data.xipos[bodies].tolist())
        turn.append(data.xquat[bodies].tolist())
    return {**found, "seconds": seconds, "position": place, "rotation": turn}
