"""Files that were written before files had a closed vocabulary and checksums are read as before."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import nsgalpha as ns
from elements.former import FORMAT_1
from nsgalpha.io.hdf5_tables import STATES
from tests.io.former_models import FILES, script

DATA = Path(__file__).parent / "data" / "format_1"

#: Modules and classes of laws as the files name them.
LAWS = """
    exudyn: ExudynNormal RegularisedCoulomb
    exudyn_impact: ExudynImpact
    exudyn_plastic: ExudynPlastic
    luding_normal: LudingNormal
    luding_friction: LudingFriction
    luding: LudingMaterial
    springs.maxwell: MaxwellSpring
    springs.elastic: LinearSpring
    springs.dashpot: LinearDashpot
    coulomb.haff_werner: HaffWerner
    coulomb.torsion: TorsionalCoulomb
    coulomb.cundall_strack: CundallStrack
    linear.constant: ConstantForce
    linear.spring_dashpot: SpringDashpot
    linear.adhesion: LinearAdhesion PresetForce
    linear.lubrication: Lubrication
    linear.resistance: Resistance
    linear.pressure: LinearPressure
    cells.contractile: Contractile
    cells.dividing: Dividing
    cells.delile: Delile
    rockable.contact: RockableDefault RockableAvalanche
    rockable.bonds: Bond StickedLinks
    hertzian.hertz: Hertz DMT
    hertzian.capsule: CapsuleMoment
    hertzian.maugis: MaugisDugdale
    hertzian.jkr: JKR
"""


@pytest.fixture(params=FILES)
def former(request, tmp_path):
    """Name and path of a file of format 1."""
    return request.param, unpacked(request.param, tmp_path)


def unpacked(name, folder):
    path = folder / f"{name}.h5"
    path.write_bytes(gzip.decompress((DATA / f"{name}.h5.gz").read_bytes()))
    return path


def test_what_was_recorded_is_read(former):
    name, path = former
    build, h, end, every = FILES[name]
    model, _ = build()
    found = ns.load(path)
    assert found.status.ok
    assert found.t == pytest.approx(np.arange(0, end * (1 + 1e-9), h * every), abs=1e-12)
    assert np.array_equal(found.position[0], model.initial_state().position)
    assert np.isfinite(found.energy("kinetic")).all()
    for one, two in zip(found.model.bodies, model.bodies, strict=True):
        assert (one.name, one.radius, one.mass, one.turns) == (two.name, two.radius, two.mass, two.turns)
        assert np.array_equal(one.inertia, two.inertia)
    assert [each.name for each in found.model.planes] == [each.name for each in model.planes]
    assert [each.corners for each in found.model.primitives] == [each.corners for each in model.primitives]
    assert [type(each) for each in found.model.elements] == [type(each) for each in model.elements]
    for one, two in zip(found.model.elements, model.elements, strict=True):
        assert [each.index for each in one.handles()] == [each.index for each in two.handles()]


def test_a_run_goes_on_as_the_model_built_again_would(former):
    name, path = former
    build, h, end, every = FILES[name]
    model, scheme = build()
    start, later = ns.load(path).state(-1), end + 8 * h * every
    whole = ns.simulate(model, t_end=later, h=h, scheme=scheme, record_every=every, state=start)
    assert whole.status.ok
    resumed = ns.resume(path, t_end=later, model=model if name == "script" else None)
    for each in STATES[1:]:
        ours, theirs = getattr(resumed, each)[-8:], getattr(whole, each)[-8:]
        assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max(), each
    again = ns.load(path)
    assert np.array_equal(again.position, resumed.position)


def test_functions_of_a_script_are_missing(tmp_path):
    path = unpacked("script", tmp_path)
    assert ns.load(path).model.loads[-1].text == "the function load of a script"
    with pytest.raises(ValueError, match=r"the function load.*give resume\(.*model="):
        ns.resume(path, t_end=0.01)
    other, _ = script()
    other.bodies.pop()
    with pytest.raises(ValueError, match="bodies differ"):
        ns.resume(path, t_end=0.01, model=other)


def test_laws_are_known_by_the_modules_that_files_name():
    lines = [line.strip().partition(": ") for line in LAWS.strip().split("\n")]
    named = [(module, name) for module, _, names in lines for name in names.split()]
    assert len(named) == 32
    assert all(FORMAT_1[f"elements.laws.{module}:{name}"].__name__ == name for module, name in named)
