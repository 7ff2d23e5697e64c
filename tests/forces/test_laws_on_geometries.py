"""Every law on every geometry: finite, nonzero forces in overlap and motion, or refusal."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

R, D = 0.1, 1e-3  # radius of the balls, overlap [m]
SQUARE = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], float)
SPRING = e.SpringDashpot(stiffness=1e4)
HERTZ = {"modulus": 1e6}
WORK = HERTZ | {"work": 0.1}
BOND = e.Bond(k_n=1e4, k_t=1e3, f_n0=1.0, f_t0=1.0, M_0=1.0)
DEFAULT = e.RockableDefault(k_n=1e4, k_t=1e3, mu=0.5, k_r=1.0, mu_r=0.1)
SAND = e.LudingMaterial(
    plastic_ratio=0.5,
    **{f"{sense}_ratio": 0.1 for sense in ("sliding", "rolling", "twisting")},
    **{f"tan_phi_{sense}": 0.5 for sense in "trw"},
    **{f"gamma_{sense}": 0.01 for sense in "ntrw"},
    young=1e7,
)
LAWS = {
    "ConstantForce": {"normal": e.ConstantForce(force=1.0)},
    "Contractile": {"normal": e.Contractile(substrate=1.0, contraction=1.0)},
    "CundallStrack": {"normal": SPRING, "tangential": e.CundallStrack(stiffness=1e3, mu=0.5, damping=1.0)},
    "DMT": {"normal": e.DMT(**WORK)},
    "Delile": {"normal": e.Delile(weight=1e3, end=0.9999, rest=0.5)},
    "Dividing": {
        "normal": e.Dividing(repulsion=1e3, attraction=1e3, start=0.5, end=1.0, speed=1.0),
        "reach": 1e-4,
    },
    "ExudynImpact": {"normal": e.ExudynImpact(stiffness=1e4, restitution=0.5, impact_velocity=0.2)},
    "ExudynNormal": {"normal": e.ExudynNormal(stiffness=1e4)},
    "ExudynPlastic": {"normal": e.ExudynPlastic(stiffness=1e4, plasticity=0.5)},
    "GeometricArea": {
        "normal": [SPRING, e.GeometricArea()],
        "contact": e.Resistance(normal=1.0, tangential=1e3, weight="area"),
    },
    "GeometricMaugisDugdale": {"normal": e.GeometricMaugisDugdale(**WORK, range=1e-6)},
    "HaffWerner": {"normal": SPRING, "tangential": e.HaffWerner(damping=1.0, mu=0.5)},
    "Hertz": {"normal": e.Hertz(**HERTZ)},
    "Hertz, restitution": {"normal": e.Hertz(**HERTZ, restitution=0.5)},
    "JKR": {"normal": e.JKR(**WORK), "reach": 1e-4},
    "LinearAdhesion": {"normal": [SPRING, e.LinearAdhesion(force=1.0, distance=1e-4)]},
    "LinearDashpot": {"normal": e.LinearDashpot(damping=1.0, in_contact=True)},
    "LinearPressure": {"normal": e.LinearPressure(stiffness=1e7)},
    "luding": e.luding(SAND),
    "MaugisDugdale": {"normal": e.MaugisDugdale(**WORK, range=1e-6), "reach": 1e-4},
    "Mindlin": {
        "normal": SPRING,
        "tangential": e.Mindlin(shear_modulus=1e6, mu=0.5, restitution=0.5),
    },
    "PresetForce": {"normal": e.PresetForce(force=1.0, distance=1e-4)},
    "RegularisedCoulomb": {"normal": SPRING, "tangential": e.RegularisedCoulomb(mu=0.5)},
    "Resistance": {"contact": e.Resistance(normal=1.0, tangential=1.0)},
    "Resistance by area": {"contact": e.Resistance(normal=1.0, tangential=1e3, weight="area")},
    "Resistance by viscosity": {"contact": e.Resistance(normal=1.0, tangential=1e3, weight="viscosity")},
    "RockableAvalanche": {"contact": e.RockableAvalanche(k_n=1e4, en2=0.5)},
    "RockableDefault": {"contact": DEFAULT},
    "SpringDashpot": {"normal": SPRING},
    "StickedLinks": {"bond": e.StickedLinks(touching=DEFAULT, inner=BOND)},
    "TorsionalCoulomb": {"normal": SPRING, "twisting": e.TorsionalCoulomb(damping=1e3, mu=0.5)},
    "TruncatedTraction": {"normal": e.TruncatedTraction(modulus=1e6, traction=1e3, rupture=1e-6)},
}
ALL = set(LAWS)
# Between two faces there are no radii and no centres, between a face and a point neither.
ROUND = {"Contractile", "DMT", "Delile", "GeometricMaugisDugdale", "Hertz", "JKR", "MaugisDugdale"}
ROUND |= {"Hertz, restitution", "Mindlin"}
ROUND |= {"Resistance by viscosity", "TorsionalCoulomb", "TruncatedTraction", "luding"}
ROUND |= {"RockableDefault", "StickedLinks"}  # moments by the branch length
ON_POINTS = ROUND | {"GeometricArea", "LinearPressure", "Resistance by area"}
BY_CENTRES = {"Contractile", "Delile", "RockableDefault", "StickedLinks"}  # take the distance of the centres
REACHING = {"Dividing", "JKR", "LinearAdhesion", "MaugisDugdale", "PresetForce"}


def mover(model, z):
    """A body that approaches, slides and turns."""
    return model.add_body(
        mass=1.0,
        inertia=(1.0, 1.0, 1.0),
        position=(0, 0, z),
        velocity=(0.3, 0.1, -0.2),
        angular_velocity=(0.3, 0.2, 0.5),
    )


def ball(model, z):
    return model.add_sphere(
        radius=R, mass=1.0, position=(0, 0, z), velocity=(0.3, 0.1, -0.2), angular_velocity=(0.3, 0.2, 0.5)
    )


def at_rest(model, z):
    return model.add_sphere(radius=R, mass=1.0, position=(0, 0, z))


def rod(model, z, axis):
    return model.add_primitive(
        [np.multiply(-0.5, axis), np.multiply(0.5, axis)], radius=R, carrier=mover(model, z)
    )


def plate(model, z):
    return model.add_primitive(SQUARE[::-1], carrier=mover(model, z))


def point(model, z):
    return model.add_primitive([(0, 0, 0)], carrier=mover(model, z))


def held(model, corners, radius=0.0):
    return model.add_primitive(corners, radius=radius)


X, Y = (1, 0, 0), (0, 1, 0)
LONG = [(-1, 0, 0), (1, 0, 0)]
PAIRS = {
    "spheres": lambda m, law: e.CompliantSphereSphere(pairs=[(ball(m, 2 * R - D), at_rest(m, 0))], **law),
    "plane": lambda m, law: e.CompliantSpherePlane(ball(m, R - D), m.add_plane(normal=(0, 0, 1)), **law),
    "hollow sphere": lambda m, law: e.CompliantPrimitiveSpheres(
        between=([held(m, [(0, 0, 0)], -0.5)], [ball(m, R - D - 0.5)]), **law
    ),
    "capsule and sphere": lambda m, law: e.CompliantCapsuleSphere(
        [held(m, LONG, R)], [ball(m, 2 * R - D)], **law
    ),
    "capsules": lambda m, law: e.CompliantCapsules(
        between=([held(m, LONG, R)], [rod(m, 2 * R - D, Y)]), **law
    ),
    "tube": lambda m, law: e.CompliantCylinderSphere([held(m, LONG, -0.5)], [ball(m, R - D - 0.5)], **law),
    "cylinder": lambda m, law: e.CompliantCylinderSphere([held(m, LONG, 0.5)], [ball(m, R - D + 0.5)], **law),
    "disk": lambda m, law: e.CompliantDiskSphere(
        [held(m, [(0, 0, 0), (0, 0, -1)], 0.5)], [ball(m, R - D)], **law
    ),
    "polygon and sphere": lambda m, law: e.CompliantPolygonSphere([held(m, SQUARE)], [ball(m, R - D)], **law),
    "plate and sphere": lambda m, law: e.CompliantPolygonSphere(
        [held(m, SQUARE, 0.05)], [ball(m, R - D + 0.05)], **law
    ),
    "polygon and capsule": lambda m, law: e.CompliantPolygonCapsule(
        [held(m, SQUARE)], [rod(m, R - D, X)], **law
    ),
    "polygon and point": lambda m, law: e.CompliantPolygonSphere([held(m, SQUARE)], [point(m, -D)], **law),
    "polygons": lambda m, law: e.CompliantPolygons(between=([held(m, SQUARE)], [plate(m, -D)]), **law),
    "sphere and point": lambda m, law: e.CompliantPrimitiveSpheres(
        between=([held(m, [(0, 0, 0)], R)], [point(m, R - D)]), **law
    ),
    "solid and plane": lambda m, law: e.CompliantSolidPlane(
        box(m, 0.1 - D), m.add_plane(normal=(0, 0, 1)), **law
    ),
    "solid and sphere": lambda m, law: e.CompliantSolids(
        between=([box(m, 0.1 - D)], [at_rest(m, -R)]), **law
    ),
}
REFUSED = {pair: set() for pair in PAIRS} | {
    "polygon and point": ON_POINTS,
    "sphere and point": ON_POINTS - BY_CENTRES,
    "polygons": ROUND,
    "solid and plane": ROUND | REACHING,
    "solid and sphere": ROUND | REACHING,
}


def box(model, z):
    return model.add_box(
        (0.2, 0.2, 0.2),
        mass=1.0,
        position=(0, 0, z),
        velocity=(0.3, 0.1, -0.2),
        angular_velocity=(0.3, 0.2, 0.5),
    )


def contacts(pair, law):
    model = ns.Model()
    model.add(PAIRS[pair](model, law))
    return ns.compliant_contacts(model, model.initial_state())


def senses(name):
    """Rows of force of a law at once; Rockable's springs have not yet moved."""
    rows = {"normal": [0], "tangential": [1, 2], "rolling": [3, 4], "twisting": [5], "contact": [0, 1, 2]}
    if name.startswith("Rockable") or name == "StickedLinks":
        return [0]
    return sorted({row for sense in LAWS[name] if sense in rows for row in rows[sense]})


@pytest.mark.parametrize("pair", PAIRS)
def test_laws_give_forces_or_are_refused(pair):
    refused = set()
    for name, law in LAWS.items():
        try:
            found = contacts(pair, law)
        except ValueError as error:
            if "radius" in str(error) or ("solid" in pair and "reach" in str(error)):
                refused.add(name)
                continue
            raise
        rows = found.local[:, senses(name)]
        assert np.isfinite(found.local).all(), name
        assert "point" in pair or (found.area > 0.0).any(), name
        assert np.abs(rows).max(axis=0).all(), (name, rows)
    assert refused == REFUSED[pair]
