"""The laws of the catalogue with valid arguments, as in public_calls.py."""

import elements as e
from elements.laws import energy_restitution, exudyn_impact

BOND = e.Bond(k_n=1.0, k_t=1.0, f_n0=1.0, f_t0=1.0, M_0=1.0)
LINKS = e.StickedLinks(touching=e.RockableDefault(k_n=1.0), inner=BOND, outer=BOND)


#: Required arguments of the parameter sets of the catalogue.
REQUIRED = {
    "Bond": {"k_n": 1.0, "k_t": 1.0, "f_n0": 1.0, "f_t0": 1.0, "M_0": 1.0},
    "CapsuleMoment": {"work": 1.0},
    "ConstantForce": {"force": 1.0},
    "Contractile": {"substrate": 1.0, "contraction": 1.0},
    "CundallStrack": {"stiffness": 1.0, "mu": 0.5},
    "DMT": {"modulus": 1.0, "work": 1.0},
    "Delile": {"weight": 1.0, "end": 2.0},
    "Dividing": {"repulsion": 1.0, "attraction": 1.0, "start": 0.0, "end": 1.0, "speed": 1.0},
    "ExudynImpact": {"stiffness": 1.0, "restitution": 0.5},
    "ExudynNormal": {"stiffness": 1.0},
    "ExudynPlastic": {"stiffness": 1.0, "plasticity": 0.5},
    "GeometricArea": {},
    "GeometricMaugisDugdale": {"modulus": 1.0, "work": 1.0, "range": 1.0},
    "HaffWerner": {"damping": 1.0, "mu": 0.5},
    "Hertz": {"modulus": 1.0},
    "JKR": {"modulus": 1.0, "work": 1.0},
    "LayerFriction": {"stiffness": 1.0, "mu": 0.5},
    "LinearAdhesion": {"force": 1.0, "distance": 1.0},
    "LinearDashpot": {"damping": 1.0},
    "LinearPressure": {"stiffness": 1.0},
    "LinearSpring": {"stiffness": 1.0, "length": 1.0},
    "Lubrication": {"viscosity": 1.0, "least": 1.0, "largest": 2.0},
    "LudingFriction": {"stiffness": 1.0, "tan_phi": 0.5},
    "LudingMaterial": {},
    "LudingNormal": {"stiffness": 1.0, "plastic_stiffness": 0.5},
    "MaugisDugdale": {"modulus": 1.0, "work": 1.0, "range": 1.0},
    "Mindlin": {"shear_modulus": 1.0, "mu": 0.5},
    "MaxwellSpring": {"stiffness": 1.0, "dashpot": 1.0, "length": 1.0},
    "PresetForce": {"force": 1.0, "distance": 1.0},
    "RegularisedCoulomb": {"mu": 0.5},
    "Reset": {},
    "Resistance": {"normal": 1.0, "tangential": 1.0},
    "RockableAvalanche": {"k_n": 1.0, "en2": 0.5},
    "RockableDefault": {"k_n": 1.0},
    "SPH": {"viscosity": 1.0, "smoothing": 1.0, "volumes": 1.0},
    "SpringDashpot": {"stiffness": 1.0},
    "StickedLinks": {"touching": e.RockableDefault(k_n=1.0), "inner": BOND},
    "TorsionalCoulomb": {"damping": 1.0, "mu": 0.5},
    "TruncatedTraction": {"modulus": 1.0, "traction": 1.0, "rupture": 1.0},
}


def parameter_sets(folder=None):
    """Laws and materials."""
    return {name: (getattr(e, name), given) for name, given in REQUIRED.items()}


def numbers_of_laws(folder):
    """Attributes of laws, and functions of their numbers."""
    jkr, maugis = e.JKR(modulus=1.0, work=1.0), e.MaugisDugdale(modulus=1.0, work=1.0, range=1.0)
    hertz, dmt = e.Hertz(modulus=1.0), e.DMT(modulus=1.0, work=1.0)
    luding = e.LudingNormal(stiffness=1.0, plastic_stiffness=0.5)
    circle, R = {"overlap": [0.1], "radius": 1.0}, {"radius": 1.0}
    loaded = {"largest": 0.1, "radius": 1.0}
    axes = {"axis_a": (1, 0, 0), "axis_b": (1, 1, 0), "overlap": 0.1, "radius": 1.0, "work": 1.0}
    young = {"young_a": 1.0, "poisson_a": 0.3, "young_b": 1.0, "poisson_b": 0.3}
    impact = {"law": luding, "speed": 1.0, "mass": 1.0, "radius": 1.0}
    return {
        "Hertz.contact_radius": (hertz.contact_radius, circle),
        "DMT.contact_radius": (dmt.contact_radius, circle),
        "DMT.pull_off": (dmt.pull_off, R),
        "JKR.contact_radius": (jkr.contact_radius, circle),
        "JKR.detachment": (jkr.detachment, R),
        "JKR.pull_off": (jkr.pull_off, R),
        "MaugisDugdale.transition": (maugis.transition, R),
        "MaugisDugdale.radii": (maugis.radii, circle),
        "MaugisDugdale.contact_radius": (maugis.contact_radius, circle),
        "MaugisDugdale.branch": (maugis.branch, {"contact_radius": 0.5, "radius": 1.0}),
        "MaugisDugdale.detachment": (maugis.detachment, R),
        "LudingNormal.limit": (luding.limit, R),
        "LudingNormal.unloading": (luding.unloading, loaded),
        "LudingNormal.plastic_work": (luding.plastic_work, loaded),
        "LudingMaterial.pair": (e.LudingMaterial().pair, {"other": e.LudingMaterial()}),
        "capsule_moment": (e.capsule_moment, axes),
        "contact_modulus": (e.contact_modulus, young),
        "contact_shear_modulus": (e.contact_shear_modulus, young),
        "hertz_mindlin": (e.hertz_mindlin, {"young": 1.0, "poisson": 0.3, "mu": 0.5}),
        "tangential_modulus": (e.tangential_modulus, {"young": 1.0, "poisson": 0.3}),
        "plane_modulus": (e.plane_modulus, {"young": 1.0, "poisson": 0.3}),
        "mesh_weight": (e.mesh_weight, {"connected": [6, 5]}),
        "bar_stiffness": (
            e.bar_stiffness,
            {"young_a": 1.0, "young_b": 1.0, "radius_a": 1.0, "radius_b": 1.0},
        ),
        "contact_time": (e.contact_time, {"stiffness": 1.0, "mass": 1.0}),
        "viscous_restitution": (e.viscous_restitution, {"stiffness": 1.0, "mass": 1.0, "damping": 0.1}),
        "plastic_restitution": (e.plastic_restitution, impact),
        "damping_ratio": (exudyn_impact.damping_ratio, {"restitution": 0.5}),
        "effective_restitution": (exudyn_impact.effective_restitution, {"restitution": 0.5}),
        "viscous_rate": (energy_restitution.viscous_rate, {"en2": 0.5}),
        "energy_restitution": (energy_restitution.energy_restitution, {"rate": 0.5}),
        "damping_ratio_of": (energy_restitution.damping_ratio_of, {"restitution": 0.5}),
        "clamped_restitution": (energy_restitution.clamped_restitution, {"rate": 0.5}),
    }
