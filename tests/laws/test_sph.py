"""Resistances of smoothed fluids: numbers, tangents, momenta."""

import numpy as np
import pytest
from test_fixed_points import NUMBERS

import nsgalpha as ns
from elements import SPH, CompliantSphereSphere
from nsgalpha.testing import check_law


def two(row, model, bodies=True, **more):
    """Two particles of a row of the numbers, at its distance."""
    made = ns.Model()
    for k, velocity in enumerate(((1.0, 0.5, -0.2), (0, 0, 0))):
        made.add_point(position=(k * row["r"], 0, 0), mass=1.0, radius=1e-4, velocity=velocity)
    law = SPH(
        viscosity=row["mu"],
        smoothing=row["h"],
        volumes=[row["V_i"], row["V_j"]],
        bodies=made.bodies,
        model=model,
        **more,
    )
    made.add(CompliantSphereSphere(made.bodies, contact=law))
    return made


@pytest.mark.parametrize("row", NUMBERS["sph"], ids=lambda row: f"r = {row['r']}")
def test_resistances_of_two_particles(row):
    expected = {
        "morris": (row["morris_gamma_n_t"], row["morris_gamma_n_t"], {}),
        "monaghan": (row["monaghan_gamma_n"], 0.0, {}),
        "espanol-revenga": (row["espanol_gamma_n"], row["espanol_gamma_t"], {"bulk": row["zeta"]}),
    }
    for model, (along, across, more) in expected.items():
        made = two(row, model, **more)
        force = ns.compliant_contacts(made, made.initial_state()).force[0]
        assert force == pytest.approx([-along * 1.0, -across * 0.5, across * 0.2], rel=1e-12, abs=1e-25)


@pytest.mark.parametrize("model", ["morris", "monaghan", "espanol-revenga"])
@pytest.mark.parametrize("overlap", [0.02, 0.1])
def test_a_resistance_is_what_it_says(model, overlap):
    """Spheres of 0.1 in a kernel of 0.15: tangents in both spline parts."""
    law = SPH(viscosity=2.0, smoothing=0.15, volumes=0.01, model=model, bulk=0.1)
    check_law(contact=law, overlap=overlap, speed=0.3, radius=0.05, adhesive=True)


def test_particles_keep_their_momenta():
    """Points keep the momentum; central forces keep the angular momentum."""
    rng = np.random.default_rng(2)
    for model, kept in (("morris", False), ("monaghan", True)):
        made = ns.Model()
        for x in rng.uniform(-1, 1, (12, 3)):
            made.add_point(position=x, mass=1.0, radius=0.1, velocity=rng.normal(size=3))
        made.add(
            CompliantSphereSphere(
                made.bodies, contact=SPH(viscosity=1.0, smoothing=1.0, volumes=0.5, model=model)
            )
        )
        result = ns.simulate(made, t_end=0.2, h=1e-3, scheme=ns.VelocityVerlet())
        first, last = result.velocity[0], result.velocity[-1]
        assert last.sum(axis=0) == pytest.approx(first.sum(axis=0), abs=1e-12)
        assert (last**2).sum() < 0.9 * (first**2).sum()
        spin = [np.cross(result.position[k], result.velocity[k]).sum(axis=0) for k in (0, -1)]
        assert (np.abs(spin[1] - spin[0]).max() < 1e-5) == kept


def test_what_is_refused():
    with pytest.raises(ValueError, match="model"):
        SPH(viscosity=1.0, smoothing=1.0, volumes=1.0, model="lucy")
    with pytest.raises(ValueError, match="say which"):
        SPH(viscosity=1.0, smoothing=1.0, volumes=[1.0, 2.0])
    with pytest.raises(ValueError, match="volumes"):
        SPH(viscosity=1.0, smoothing=1.0, volumes=0.0)
