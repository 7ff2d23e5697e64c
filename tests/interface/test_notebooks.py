"""Models, results and states in notebooks: short texts, small tables, pandas, xarray, `save`."""

import sys
from html.parser import HTMLParser

import numpy as np
import pytest

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

R = 0.1


def shot(t_end=0.3, **options):
    """A cue ball that hits another one on a table, and its model."""
    model = ns.Model(gravity=(0, 0, -10))
    common = {"radius": R, "mass": 1.0}
    cue = model.add_sphere(position=(-0.25, 0, R), velocity=(1, 0, 0), name="cue", **common)
    model.add_sphere(position=(0, 0.05, R), name="<ball>", **common)
    table = model.add_plane(normal=(0, 0, 1), name="table")
    model.add(SphereSphere(model.spheres, mu=0.1, e_n=0.9))
    model.add(SpherePlane(model.spheres, table, mu=0.2))
    speed = ns.Sensor("speed", lambda now: np.linalg.norm(now.state.velocity[cue]))
    return model, ns.simulate(model, t_end=t_end, h=0.01, watch=[speed], **options)


@pytest.fixture(scope="module")
def run():
    return shot()


class Seen(HTMLParser):
    """Tags that are open, and texts."""

    def __init__(self, page):
        super().__init__()
        self.open, self.texts, self.tags = [], [], set()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_models_results_and_states_are_shown_in_one_line(run):
    model, result = run
    assert repr(model) == "<Model: 2 bodies, 1 plane, 2 elements, gravity (0, 0, -10)>"
    assert repr(result) == "<Result: 2 bodies, 31 states from t = 0 s; finished at t = 0.3 s after 30 steps>"
    assert repr(result.state()) == "<State: 2 bodies at t = 0.3 s>"
    assert repr(result.stats) == "<Statistics of 30 steps>"
    assert repr(result.contacts) == f"<Contacts: {len(result.contacts.gap)} in 31 states>"
    assert repr(ns.Model()) == "<Model: 0 bodies, gravity (0, 0, 0)>"
    table = ns.sweep(lambda a: a, {"a": [1, 2]}, workers=1)
    assert repr(table) == "<Table: 2 points: 2 done>"


def test_cells_are_whole_tables_and_names_stay_text(run):
    model, result = run
    table = ns.sweep(lambda a: a, {"a": [1, 2]}, workers=1)
    for thing in (model, result, result.state(), table):
        seen = Seen(thing._repr_html_())
        assert not seen.open
        assert "table" in seen.tags
        assert not seen.tags & {"script", "style", "ball"}
    assert any("<ball>" in text for text in Seen(model._repr_html_()).texts)
    assert "finished at t = 0.3 s after 30 steps" in Seen(result._repr_html_()).texts


def test_a_spin_that_is_rounding_is_shown_as_zero():
    state = ns.State(0.0, [[1.0, 0, 0]], [[1.0, 0, 0, 0]], [[2.0, 1e-15, 0]], [[1e-15, 3.0, 0]])
    texts = Seen(state._repr_html_()).texts
    assert "2, 0, 0" in texts
    assert "0, 3, 0" in texts


def test_bodies_planes_and_contacts_are_found_by_name(run):
    model, result = run
    assert model.body("cue") is model.bodies[0]
    assert model.plane("table") is model.planes[0]
    with pytest.raises(ValueError, match=r"name = 'cu': must be that of a body; did you mean 'cue'\?"):
        model.body("cu")
    with pytest.raises(ValueError, match="names are 'table'"):
        model.plane("floor")
    both = result.contacts_of("cue", "<ball>")
    assert len(both.gap) > 0
    assert both.start[-1] == len(both.gap)
    assert both.impulse[both.record == both.record[0]].any()
    rolling = result.contacts_of(model.planes[0])
    assert len(rolling.gap) == len(result.contacts_of("cue", "table").gap) + len(
        result.contacts_of("table", "<ball>").gap
    )
    assert len(result.contacts_of("cue").gap) + len(result.contacts_of("<ball>").gap) == len(
        result.contacts.gap
    ) + len(both.gap)
    for bad in ("nobody", 0, None):
        with pytest.raises(ValueError, match=r"a = |name = "):
            result.contacts_of(bad)
    with pytest.raises(ValueError, match="belongs to another model"):
        result.contacts_of(ns.Model().add_plane(normal=(0, 0, 1)))
    with pytest.raises(ValueError, match="another one than a"):
        result.contacts_of("cue", "cue")


def test_tables_of_pandas_have_all_numbers_by_name(run):
    _, result = run
    bodies = result.to_pandas()
    cue = bodies.xs("cue", level="body")
    assert np.array_equal(cue[["vx", "vy", "vz"]], result.velocity[:, 0])
    assert np.array_equal(cue[["qw", "qx", "qy", "qz"]], result.rotation[:, 0])
    contacts = result.to_pandas("contacts")
    assert set(contacts["b"]) == {"<ball>", "table"}
    pair = contacts[(contacts.a == "cue") & (contacts.b == "<ball>")]
    assert np.array_equal(pair[["px", "py", "pz"]], result.contacts_of("cue", "<ball>").impulse)
    assert np.array_equal(result.to_pandas("energies")["total"], result.energy())
    assert np.array_equal(result.to_pandas("steps")["sub_impacts"], result.stats.sub_impacts)
    with pytest.raises(ValueError, match=r"what = 'body': must be .*bodies"):
        result.to_pandas("body")
    table = ns.sweep(lambda a: {"twice": [a, 2 * a]}, {"a": [1, 2]}, workers=1).to_pandas()
    assert table["twice[1]"].tolist() == [2, 4]


def test_a_data_set_of_xarray_has_names_units_and_sensors(run):
    _, result = run
    data = result.to_xarray()
    assert np.array_equal(data.position.sel(body="cue", axis="x"), result.position[:, 0, 0])
    assert data.velocity.attrs["units"] == "m/s"
    assert np.array_equal(data.sensor_speed, result.sensors["speed"].value)
    assert data.attrs["status"] == result.status.message
    assert data.sizes["contact"] == len(result.contacts.gap)
    assert (data.contact_a.values == "cue").any()


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_what_is_not_installed_is_named(run, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}: pip install nsgalpha\[tables\]"):
        getattr(run[1], f"to_{package}")()


def test_a_saved_result_is_the_same_and_goes_on(tmp_path):
    _, result = shot(t_end=0.1)
    path = result.save(tmp_path / "shot.h5")
    kept = ns.load(path)
    for name in ("t", "position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(kept, name), getattr(result, name))
    assert np.array_equal(kept.contacts.impulse, result.contacts.impulse)
    assert np.array_equal(kept.sensors["speed"].value, result.sensors["speed"].value)
    assert kept.status == result.status
    longer, whole = ns.resume(path, t_end=0.3), shot()[1]
    assert np.array_equal(longer.velocity, whole.velocity)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        result.save(path)
    assert len(ns.load(result.save(path, overwrite=True)).t) == len(result.t)


def test_a_result_in_a_file_is_saved_as_a_copy(tmp_path):
    _, result = shot(t_end=0.1, recording=ns.Recording(file=tmp_path / "run.h5"))
    copy = result.save(tmp_path / "copy.h5")
    assert np.array_equal(ns.load(copy).position, result.position)
    assert result.save(tmp_path / "run.h5", overwrite=True).exists()
    assert np.array_equal(ns.resume(copy, t_end=0.3).velocity, shot()[1].velocity)
    with pytest.raises(FileExistsError):
        result.save(copy)
    assert {each.name for each in tmp_path.iterdir()} == {"run.h5", "copy.h5"}
