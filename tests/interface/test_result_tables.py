"""Tables of results in files and in pandas, and works of single elements."""

import csv

import numpy as np
import pytest

import nsgalpha as ns
from elements import (
    CompliantSpherePlane,
    JointSpring,
    Motor,
    Revolute,
    SpherePlane,
    SphereSphere,
    SpringDashpot,
)
from nsgalpha.run.result_tables import TABLES

OWN = [each for each in TABLES if each != "cell"]  # tests/periodic has that of cells

R = 0.1


@pytest.fixture(scope="module")
def run():
    """Balls that collide on a table, one on a soft floor, a driven pendulum."""
    model = ns.Model(gravity=(0, 0, -10))
    common = {"radius": R, "mass": 1.0}
    cue = model.add_sphere(position=(-0.25, 0, R), velocity=(1, 0, 0), name="cue", **common)
    other = model.add_sphere(position=(0, 0.05, R), name="=ball", **common)
    soft = model.add_sphere(position=(0, 5, R), name="soft", **common)
    floor = model.add_plane(normal=(0, 0, 1), name="table")
    model.add(SphereSphere([cue, other], mu=0.1, e_n=0.9))
    model.add(SpherePlane([cue, other], floor, mu=0.2), name="cloth")
    law = SpringDashpot(stiffness=1e4, damping=20.0)
    model.add(CompliantSpherePlane(soft, floor, normal=law), name="foam")
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 3, 2), name="rod")
    pin = model.add(Revolute(None, rod, point=(0, 3, 2), axis=(0, 1, 0), name="pin"))
    model.add(Motor(pin, 2.0, name="motor"))
    model.add(JointSpring(pin, stiffness=3.0, damping=0.1, rest=0.0, name="spring"))
    speed = ns.Sensor("velocity", lambda now: now.state.velocity[cue])
    place = ns.Sensor("place", lambda now: now.state.position[cue, 0], every=7)
    return ns.simulate(model, t_end=0.3, h=1e-3, watch=[speed, place])


def read(path):
    """Names of the columns of a CSV file, and its cells."""
    with path.open(newline="", encoding="utf-8") as stream:
        names, *rows = csv.reader(stream)
    return names, dict(zip(names, zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize("what", [*OWN, "place"])
def test_a_csv_file_has_the_table_of_pandas_to_the_last_digit(run, tmp_path, what):
    names, cells = read(run.save(tmp_path / "x.csv", what))
    table = run.to_pandas(what)
    table = table.reset_index() if what != "contacts" else table
    assert names == list(table.columns)
    for name in names:
        values = table[name].to_numpy()
        if values.dtype.kind == "f":
            assert np.array_equal(np.array(cells[name], float), values, equal_nan=True)
        else:
            assert [each.lstrip("'") for each in cells[name]] == [str(value) for value in values]


def test_a_file_without_a_table_has_the_bodies_and_no_formula(run, tmp_path):
    _, cells = read(run.save(tmp_path / "x.CSV"))
    assert set(cells["body"]) == {"cue", "'=ball", "soft", "rod"}
    assert np.array_equal(np.array(cells["vx"], float)[::4], run.velocity[:, 0, 0])


def test_tables_of_joints_drives_and_sensors_have_what_the_result_returns(run):
    joints, drives, sensors = (run.to_pandas(what) for what in ("joints", "drives", "sensors"))
    force, torque = run.reaction("pin")
    pin = joints.xs("pin", level="joint")
    assert np.array_equal(pin[["fx", "fy", "fz"]], force)
    assert np.array_equal(pin[["mx", "my", "mz"]], torque)
    assert np.array_equal(pin["angle"], run.coordinate("pin").value)
    assert np.array_equal(pin["angle_rate"], run.coordinate("pin").rate)
    assert np.array_equal(drives.xs("spring", level="drive")["load"], run.effort("spring").value)
    assert np.array_equal(sensors[[f"velocity[{k}]" for k in range(3)]], run.sensors["velocity"].value)
    there = sensors["place"].dropna()
    assert np.array_equal(there.index, run.sensors["place"].t)
    assert np.array_equal(there, run.sensors["place"].value)
    assert len(there) < len(sensors) == len(run.sensors["velocity"].t)


@pytest.mark.parametrize("name", ["x.xlsx", "x.JSON", "x.txt"])
def test_a_file_of_another_format_is_refused(run, tmp_path, name):
    with pytest.raises(ValueError, match=r"path = '.*x\..*': must be a file that ends with \.h5, \.csv or"):
        run.save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_parquet_file_is_read_by_pandas(run, tmp_path):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    path = run.save(tmp_path / "x.parquet", "energies")
    assert pandas.read_parquet(path).equals(run.to_pandas("energies"))


def test_a_parquet_file_without_its_package_names_the_extra(run, tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas")

    def missing(*given, **options):
        raise ImportError("no engine")

    monkeypatch.setattr(pandas.DataFrame, "to_parquet", missing)
    with pytest.raises(ImportError, match=r"pip install nsgalpha\[parquet\]"):
        run.save(tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


def test_files_are_not_replaced_unasked_and_tables_are_of_tables(run, tmp_path):
    path = run.save(tmp_path / "x.csv")
    before = path.read_bytes()
    with pytest.raises(FileExistsError, match="overwrite=True replaces it"):
        run.save(path, "energies")
    assert path.read_bytes() == before
    run.save(path, "energies", overwrite=True)
    assert path.read_bytes() != before
    with pytest.raises(ValueError, match=r"what = 'joint': must be .*did you mean 'joints'\?"):
        run.save(tmp_path / "y.csv", "joint")
    with pytest.raises(ValueError, match="what = 'bodies': must be left out for an HDF5 file"):
        run.save(tmp_path / "y.h5", "bodies")
    assert not (tmp_path / "y.csv").exists()


def test_tables_of_a_file_are_those_of_the_run(run, tmp_path):
    stored = ns.load(run.save(tmp_path / "x.h5"))
    for what in OWN:
        one = run.save(tmp_path / f"{what}.csv", what)
        other = stored.save(tmp_path / f"{what}-h5.csv", what)
        assert one.read_bytes() == other.read_bytes(), what


def test_works_of_elements_are_those_of_the_budget(run):
    works, budget = run.works(), run.budget()
    assert list(works) == ["SphereSphere 0", "cloth", "foam", "motor", "spring"]
    hard = works["SphereSphere 0"] + works["cloth"]
    assert hard == pytest.approx(budget.friction + budget.impacts, abs=1e-12)
    assert works["motor"][-1] == pytest.approx(2.0 * run.coordinate("pin").value[-1], rel=1e-5)
    mechanical = budget.kinetic + budget.potential
    gained = mechanical - mechanical[0] - sum(works.values())
    assert np.abs(gained - budget.residual).max() < 1e-4 * np.abs(budget.total).max()
    assert works["SphereSphere 0"][-1] < -0.01
    assert works["cloth"][-1] < -0.01


def test_a_spring_gives_back_its_energy_but_for_its_damper(run):
    value, rate = run.coordinate("pin")
    h = np.diff(run.t)
    lost = np.concatenate([[0.0], np.cumsum(0.05 * h * (rate[1:] ** 2 + rate[:-1] ** 2))])
    assert run.works()["spring"] == pytest.approx(-1.5 * value**2 - lost, abs=2e-4 * np.max(1.5 * value**2))


def test_works_need_every_step():
    model = ns.Model(gravity=(0, 0, -10))
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, 1))
    with pytest.raises(ValueError, match="works: 1 of 10 steps are recorded"):
        ns.simulate(model, t_end=0.1, h=0.01, record_every=10).works()
