"""Wrong values raise a ValueError with the argument, value and allowed range."""

import re

import numpy as np
import pytest

import nsgalpha as ns
from elements import Drag, Motor, Revolute, SphereInShell, SpherePlane, SphereSphere, SpringDashpot

BALL = {"radius": 0.1, "mass": 1.0, "position": (0, 0, 0.1)}
NAN, INF = float("nan"), float("inf")


def small_model():
    model = ns.Model(gravity=(0, 0, -9.8))
    a = model.add_sphere(**BALL)
    b = model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0.1), name="b")
    plane = model.add_plane(normal=(0, 0, 1))
    return model, a, b, plane


def refused(*words):
    """Context: a ValueError whose message holds all the words."""
    return pytest.raises(ValueError, match="".join(f"(?=.*{re.escape(str(w))})" for w in words))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        *[
            (name, value, "positive and finite")
            for name in ("radius", "mass")
            for value in (-1.0, 0.0, NAN, INF)
        ],
        *[("inertia", value, "positive definite") for value in (-1.0, 0.0)],
        ("inertia", NAN, "finite"),
        ("inertia", INF, "finite"),
        ("inertia", (1.0, 1.0, -0.5), "positive definite"),
        ("inertia", (1.0, 1.0, 2.1), "sum of the other two"),
        ("inertia", (1.0, 1.0), "3 principal values"),
        ("inertia", [[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]], "symmetric"),
        ("inertia", "heavy", "a scalar"),
        ("position", (0, 0), "3 finite numbers"),
        ("position", (0, 0, NAN), "3 finite numbers"),
        ("velocity", (INF, 0, 0), "3 finite numbers"),
        ("angular_velocity", 5.0, "3 finite numbers"),
        ("rotation", (0, 0, 0, 0), "different from zero"),
        ("rotation", (1, 0, 0), "4 finite numbers"),
        ("mass", "one", "a number"),
        ("mass", None, "a number"),
    ],
)
def test_spheres_refuse(name, value, allowed):
    with refused(name, allowed, repr(value)):
        ns.Model().add_sphere(**{**BALL, name: value})


def test_a_refused_sphere_is_not_added():
    model = ns.Model()
    with refused("mass"):
        model.add_sphere(radius=0.1, mass=-1.0, position=(0, 0, 0), name="a")
    assert model.spheres == []
    model.add_sphere(**BALL, name="a")


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"normal": (0, 0, 0)}, ("normal", "(0, 0, 0)", "different from zero")),
        ({"normal": (0, NAN, 1)}, ("normal", "finite")),
        ({"normal": (0, 1)}, ("normal", "3 finite numbers")),
        ({"normal": (0, 0, 1), "offset": NAN}, ("offset", "nan")),
        ({"normal": (0, 0, 1), "offset": INF}, ("offset", "inf")),
    ],
)
def test_planes_refuse(kwargs, words):
    with refused(*words):
        ns.Model().add_plane(**kwargs)


@pytest.mark.parametrize("element", ["spheres", "plane"])
@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("e_n", -0.1, "[0, 1]"),
        ("e_n", 1.1, "[0, 1]"),
        ("e_n", NAN, "[0, 1]"),
        ("e_t", -1.0, "(-1, 1]"),
        ("e_t", 1.1, "(-1, 1]"),
        ("e_t", NAN, "(-1, 1]"),
        ("mu", -0.1, "[0, inf)"),
        ("mu", INF, "[0, inf)"),
        ("mu", NAN, "[0, inf)"),
        ("rolling_radius", -1e-3, "[0, inf)"),
        ("drilling_radius", -1e-3, "[0, inf)"),
        ("drilling_radius", INF, "[0, inf)"),
    ],
)
def test_laws_refuse(element, name, value, allowed):
    model, a, _, plane = small_model()
    law = {"mu": 0.5, name: value}
    with refused(f"{name} = {value!r}", allowed):
        SphereSphere(among=model.spheres, **law) if element == "spheres" else SpherePlane(a, plane, **law)


def test_a_body_has_no_contact_with_the_plane_it_carries():
    model, a, b, _ = small_model()
    own = model.add_plane(normal=(0, 0, 1), offset=0.3, body=a, name="deck")
    with refused("spheres", "deck", "itself"):
        SpherePlane([a, b], own)


def test_default_names_do_not_collide_with_given_ones():
    model = ns.Model()
    model.add_sphere(**BALL, name="sphere 1")
    model.add_sphere(radius=0.1, mass=1.0, position=(1, 0, 0))
    assert len({body.name for body in model.bodies}) == 2


def test_elements_of_another_model_are_refused():
    model, a, *_ = small_model()
    _, other_a, other_b, other_plane = small_model()
    with refused("SphereSphere", "another model"):
        model.add(SphereSphere(pairs=[(a, other_b)]))
    with refused("SpherePlane", "another model"):
        model.add(SpherePlane(a, other_plane))
    with refused("body", "another model"):
        model.add_plane(normal=(0, 0, 1), body=other_a)
    assert model.elements == []


def test_what_is_no_element_is_not_added():
    model, a, *_ = small_model()
    for thing in (None, 5, "element", SphereSphere, object(), Drag(a, translational=1.0), model):
        with refused("element = ", "must be an element", "package elements"):
            model.add(thing)


@pytest.mark.parametrize("name", [5, True, b"ball", "", "a\x1b[31m", "a\0b", "a\nb", "\ud800", ["ball"]])
def test_names_are_texts_that_can_be_shown(name):
    model, *_ = small_model()
    for add in (
        lambda: model.add_sphere(**BALL, name=name),
        lambda: model.add_point(position=(0, 0, 0), name=name),
        lambda: model.add_plane(normal=(0, 0, 1), name=name),
        lambda: model.add_primitive([(0, 0, 0)], name=name),
    ):
        with refused(f"name = {name!r}", "must be a text"):
            add()
    model.add_sphere(**BALL, name="Kügelchen № 1")


def test_booleans_are_booleans():
    model, *_ = small_model()
    for value in ("no", "yes", 0, 1, 1.0, None, np.zeros(1, bool)):
        with refused("progress = ", "True or False"):
            ns.simulate(model, t_end=0.1, h=0.1, progress=value)
        with refused("overwrite = ", "True or False"):
            ns.Recording(overwrite=value)
        with refused("tension = ", "True or False"):
            SpringDashpot(stiffness=1.0, tension=value)
    assert SpringDashpot(stiffness=1.0, tension=np.True_).tension is True


@pytest.mark.parametrize("kind", [SphereSphere, SpherePlane, SphereInShell])
def test_unknown_keywords_are_refused_by_the_name_of_the_element(kind):
    wrong = rf"^{kind.__name__}: unknown parameter 'e_nn'; did you mean 'e_n'\? it has .*mu, e_n"
    with pytest.raises(TypeError, match=wrong):
        kind([], e_nn=1.0)


STILL = ((0, 0, 0), (0, 0, 0))
ONE_BY_ONE = {
    "gravity that is not finite": (lambda *_: ns.Model(gravity=(0, 0, NAN)), ("gravity", "3 finite numbers")),
    "gravity without a direction": (lambda *_: ns.Model(gravity=-9.8), ("gravity", "-9.8")),
    # it would be ignored in silence
    "e_t of spheres without friction": (lambda m, *_: SphereSphere(among=m.spheres, e_t=0.5), ("e_t", "mu")),
    "e_t of a plane without friction": (lambda m, a, b, p: SpherePlane(a, p, e_t=0.5), ("e_t", "mu")),
    "a body with itself": (lambda m, a, *_: SphereSphere(pairs=[(a, a)]), ("pairs", "itself", "sphere 0")),
    "a pair twice": (lambda m, a, b, _: SphereSphere(pairs=[(a, b), (b, a)]), ("pairs", "twice")),
    "a body twice": (lambda m, a, b, _: SphereSphere(among=[a, b, b]), ("among", "'b'", "twice")),
    "no bodies of pairs": (lambda *_: SphereSphere(), ("among", "pairs", "exactly one")),
    "bodies stated two ways": (
        lambda m, a, b, _: SphereSphere(among=[a, b], pairs=[(a, b)]),
        ("among", "pairs", "exactly one"),
    ),
    "a number as a body": (lambda m, a, b, plane: SpherePlane([0], plane), ("spheres", "Body")),
    "a number as bodies": (lambda m, a, b, plane: SpherePlane(3, plane), ("spheres",)),
    "a body as a plane": (lambda m, a, b, _: SpherePlane(a, b), ("planes", "Plane")),
    "a plane in a pair": (lambda m, a, b, plane: SphereSphere(pairs=[(a, plane)]), ("pairs", "Body")),
    "three in a pair": (lambda m, a, b, _: SphereSphere(pairs=[(a, b, b)]), ("pairs",)),
    "the name of a sphere again": (
        lambda m, *_: m.add_sphere(radius=1.0, mass=1.0, position=(5, 5, 5), name="b"),
        ("name", "'b'", "once"),
    ),
    "the name of a sphere as a plane's": (
        lambda m, *_: m.add_plane(normal=(0, 0, 1), name="b"),
        ("name", "'b'", "once"),
    ),
    "a plane that is carried and prescribed": (
        lambda m, a, *_: m.add_plane(normal=(0, 0, 1), body=a, motion=lambda t: STILL),
        ("body", "motion", "one of them"),
    ),
    "a motion that is not callable": (
        lambda *_: ns.Model().add_plane(normal=(0, 0, 1), motion=STILL),
        ("motion",),
    ),
    "a load that is not callable": (lambda *_: ns.Model().add_load((0, 0, 1)), ("load", "callable")),
    "a model without bodies": (
        lambda *_: ns.simulate(ns.Model(), t_end=1.0, h=1e-2),
        ("model", "no bodies"),
    ),
    "an unknown kind of energy": (
        lambda m, *_: ns.simulate(m, t_end=1e-2, h=1e-2).energy("heat"),
        ("kind", "'heat'", "'kinetic'"),
    ),
}


@pytest.mark.parametrize("name", ONE_BY_ONE)
def test_other_wrong_statements_are_refused(name):
    make, words = ONE_BY_ONE[name]
    with refused(*words):
        make(*small_model())


@pytest.mark.parametrize(
    "value", [((0, 0, 0),), ((0, 0, NAN), (0, 0, 0)), ((0, 0, 0), (0, 0)), 3.0, None, ((0,) * 3,) * 3]
)
def test_prescribed_motion_of_another_form_is_refused(value):
    with refused("motion", "plane 0"):
        ns.Model().add_plane(normal=(0, 0, 1), motion=lambda t: value)


def test_a_load_whose_energy_is_said_to_be_known_states_it():
    def weight(t, state):
        return np.zeros_like(state.position)

    weight.energy_known = True
    with refused("energy of function", "energy(x)"):
        ns.Model().add_load(weight)


@pytest.mark.parametrize(
    "value",
    [
        np.zeros((2, 2)),
        np.zeros(3),
        np.zeros((3, 3)),
        0.0,
        (np.zeros((2, 3)), np.zeros(3)),
        (np.zeros((2, 3)),) * 3,
    ],
)
def test_a_load_of_another_shape_is_refused(value):
    model, *_ = small_model()

    def wind(t, state):
        return value

    model.add_load(wind)
    with refused("wind", "(2, 3)"):
        ns.simulate(model, t_end=0.1, h=1e-2)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        *[("h", value, ("positive and finite",)) for value in (0.0, -1e-3, NAN, INF)],
        ("h", "fast", ("a number",)),
        ("h", None, ("must be given", "accuracy=1e-6", "VelocityVerlet")),
        *[("t_end", value, ("after the start",)) for value in (0.0, -1.0, NAN, INF)],
        ("t_end", "late", ()),
        ("t_end", None, ()),
        *[("rho_inf", value, ("[0, 1]",)) for value in (-0.1, 1.1, NAN)],
        *[("tol", value, ()) for value in (0.0, -1e-10, NAN, INF, 1.0, 1e-20)],
        *[("record_every", value, ("integer >= 1",)) for value in (0, -1, 1.5, NAN, INF, "all", None)],
    ],
)
def test_simulate_refuses(name, value, words):
    model, *_ = small_model()
    with refused(f"{name} = {value!r}", *words):
        ns.simulate(model, **{"t_end": 1.0, "h": 1e-2, name: value})


def test_a_run_that_starts_late_cannot_end_early():
    model, *_ = small_model()
    state = ns.simulate(model, t_end=0.5, h=1e-2).state()
    with refused("t_end = 0.4", "after the start", "0.5"):
        ns.simulate(model, t_end=0.4, h=1e-2, state=state)


def test_a_state_of_another_model_is_refused():
    model, *_ = small_model()
    other = ns.Model()
    other.add_sphere(**BALL)
    with refused("state.position", "(1, 3)", "(2, 3)"):
        ns.simulate(model, t_end=1.0, h=1e-2, state=other.initial_state())
    state = model.initial_state()
    state.velocity[0, 0] = NAN
    with refused("state.velocity", "finite"):
        ns.simulate(model, t_end=1.0, h=1e-2, state=state)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_overlap_at_the_start_is_refused(scale):
    model = ns.Model()
    a = model.add_sphere(radius=scale, mass=1.0, position=(0, 0, 0), name="left")
    b = model.add_sphere(radius=scale, mass=1.0, position=(1.9 * scale, 0, 0), name="right")
    model.add(SphereSphere(among=[a, b]))
    with refused("left", "right", "overlap", f"{0.1 * scale:.3g}"):
        ns.simulate(model, t_end=1.0, h=1e-2)


def test_a_sphere_below_its_plane_at_the_start_is_refused():
    model, a, _, _ = small_model()
    ceiling = model.add_plane(normal=(0, 0, -1), offset=-0.15, name="ceiling")
    model.add(SpherePlane(a, ceiling))
    with refused("sphere 0", "ceiling", "overlap"):
        ns.simulate(model, t_end=1.0, h=1e-2)


def test_coincident_centres_are_refused():
    model = ns.Model()
    for _ in range(2):
        model.add_sphere(**BALL)
    model.add(SphereSphere(among=model.spheres))
    with refused("overlap"):
        ns.simulate(model, t_end=1.0, h=1e-2)


def test_a_pair_in_two_elements_is_refused():
    model, a, b, plane = small_model()
    model.add(SphereSphere(among=[a, b]))
    model.add(SphereSphere(pairs=[(b, a)]))
    with refused("sphere 0", "'b'", "two elements"):
        ns.simulate(model, t_end=1.0, h=1e-2)
    model, a, b, plane = small_model()
    model.add(SpherePlane([a, b], plane))
    model.add(SpherePlane(b, plane, mu=0.3))
    with refused("'b'", "plane 0", "two elements"):
        ns.simulate(model, t_end=1.0, h=1e-2)


def test_a_pair_in_two_elements_is_refused_at_once_also_when_it_is_far_apart():
    """Many spheres, so that the broad phase lists near pairs only."""
    model = ns.Model()
    for k in range(60):
        model.add_sphere(radius=0.1, mass=1.0, position=(5.0 * k, 0, 0), velocity=(-(k % 2) * 50.0, 0, 0))
    model.add(SphereSphere(among=model.spheres))
    model.add(SphereSphere(among=model.spheres, mu=0.5))
    with refused("two elements"):
        ns.simulate(model, t_end=1e-3, h=1e-3)


def test_step_refuses_like_simulate():
    model, *_ = small_model()
    for name, value in (("h", -1.0), ("tol", 0.0), ("rho_inf", 2.0)):
        with refused(f"{name} = "):
            ns.step(model, model.initial_state(), **{"h": 1e-2, name: value})


@pytest.mark.parametrize(
    "hidden",
    [np.ma.array([0.0, 7.0, 0.0], mask=[0, 1, 0]), [np.ma.array(0.0, mask=True), 0.0, 0.0]],
    ids=["array", "list"],
)
def test_numbers_behind_a_mask_are_refused(hidden):
    model = ns.Model()
    with refused("position", "masked", "must be"):
        model.add_sphere(radius=0.1, mass=1.0, position=hidden)
    assert model.add_sphere(radius=0.1, mass=1.0, position=np.ma.array([0.0, 7.0, 0.0])).position[1] == 7.0


@pytest.mark.parametrize("value", [np.ma.array(5.0, mask=True), 1j], ids=["masked", "complex"])
def test_functions_of_the_user_return_numbers(value):
    model = ns.Model()
    wheel = model.add_body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0))
    model.add_load(lambda t, state: [[value, 0.0, 0.0]])
    with refused("load <lambda> returned", "must be numbers, a row per body"):
        ns.simulate(model, t_end=0.1, h=0.1)
    model = ns.Model()
    wheel = model.add_body(mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0, 0, 0))
    hinge = model.add(Revolute(wheel, None, point=(0, 0, 0), axis=(0, 0, 1)))
    with refused("load returned", "must be a finite value"):
        model.add(Motor(hinge, lambda t: value))
        ns.simulate(model, t_end=0.1, h=0.1)
