"""Contacts of rounded triangles: fitted spheres, sums over meshes, nodal forces, friction, refusals."""

import numpy as np
import pytest
from rounded_scenes import S1, S2, SQUARE, ball, resultants

import elements as e
import nsgalpha as ns
from elements.rounded_triangles import _Spheres

UNIT = {"normal": e.Hertz(modulus=1.0)}


def on_plane(level, depth, turn, law=None, polygon=None, **more):
    """Force and torque on a meshed unit sphere that overlaps a fixed square."""
    model = ns.Model()
    _, mesh = ball(model, level, turn=turn, position=(0, 0, 1 - depth))
    floor = model.add_primitive(SQUARE if polygon is None else polygon)
    model.add(e.RoundedTriangles(mesh, floor, **(law or UNIT), **more))
    return resultants(model)[0]


def form(model, triangles):
    """Radius and centre of the first of rigid or deforming `triangles`, as the contacts take them."""
    corners = [[model.bodies[c].position for c in t.corners] for t in triangles]
    return _Spheres(triangles, ("radius", None), ("centre", None)).forms(np.array(corners))


def test_fitted_sphere():
    case = S1["fitted_sphere"]
    x = [*case["triangle"], *case["levers"]]
    model = ns.Model()
    nodes = [model.add_point(mass=1.0, position=each) for each in x]
    # levers across the edges from each corner in turn
    rows = [(0, 1, 2), (2, 1, 3), (0, 2, 4), (1, 0, 5)]
    s = form(model, model.add_mesh(nodes, rows))[0, 1]
    a, f, g = nodes[0].position, nodes[1].position - nodes[0].position, nodes[2].position - nodes[0].position
    N = np.cross(f, g)
    foot = a + (np.cross(N, f) * (g @ g) + np.cross(g, N) * (f @ f)) / (2.0 * N @ N)
    centre = foot - s * N / np.linalg.norm(N)
    np.testing.assert_allclose(centre, case["centre"], rtol=1e-12)
    assert np.linalg.norm(centre - a) == pytest.approx(case["radius"], rel=1e-12)


@pytest.mark.parametrize("level", [0, 2])
def test_spheres_of_an_icosphere_have_its_radius(level):
    model = ns.Model()
    vertices, faces = e.icosphere(level)
    nodes = [model.add_point(mass=1.0, position=x) for x in vertices]
    forms = form(model, model.add_mesh(nodes, faces))
    circumradius = np.array([_circumradius(vertices[f]) for f in faces])
    np.testing.assert_allclose(np.hypot(forms[:, 1], circumradius), 1.0, rtol=1e-12)


def _circumradius(X):
    a, b, c = (np.linalg.norm(X[i] - X[j]) for i, j in ((0, 1), (1, 2), (2, 0)))
    return a * b * c / (2.0 * np.linalg.norm(np.cross(X[1] - X[0], X[2] - X[0])))


@pytest.mark.parametrize("level", [0, 1, 3])
@pytest.mark.parametrize("depth", [0.0025, 0.04])
def test_meshes_of_a_sphere_have_the_force_of_the_sphere(level, depth):
    for turn in S1["turns"]:
        found = on_plane(level, depth, turn) / (4 / 3 * depth**1.5)
        np.testing.assert_allclose(found, [0, 0, 1, 0, 0, 0], atol=2e-13)


def test_printed_quadrature_has_the_errors_of_the_reference():
    rows = [r for r in S1["sphere_on_plane"]["rows"] if r["subdivisions"] in (2, 3)]
    for row in rows:
        d = row["depth_over_R"]
        for turn, expected in zip(S1["turns"], row["printed_force"], strict=True):
            found = on_plane(row["subdivisions"], d, turn, quadrature="printed")[2] / (4 / 3 * d**1.5)
            assert found == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("row", S1["two_spheres"]["rows"][:4])
def test_two_meshes_have_the_force_of_two_spheres(row):
    model, d = ns.Model(), row["depth"]
    one, other = row["subdivisions"]
    _, A = ball(model, one, turn=S1["turns"][0], position=(0, 0, 3 - d))
    _, B = ball(model, other, turn=S1["turns"][1], radius=2.0)
    model.add(e.RoundedTriangles(A, B, **UNIT))
    force = 4 / 3 * np.sqrt(2 / 3) * d**1.5
    contacts = ns.compliant_contacts(model, model.initial_state())
    assert len(contacts.gap) >= row["pairs"]
    found = contacts.resultant() / force
    np.testing.assert_allclose(found[0], [0, 0, 1, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found[1], [0, 0, -1, 0, 0, 0], atol=1e-12)


def test_fitted_spheres_converge_to_a_spheroid():
    for row in S1["spheroid_on_plane"]["rows"]:
        if row["subdivisions"] > 3:
            continue
        for turn, expected in zip(S1["turns"], row["ratio"], strict=True):
            model = ns.Model()
            _, mesh = ball(
                model,
                row["subdivisions"],
                turn=turn,
                shape=(1, 1, 0.7),
                position=(0, 0, 0.7 - row["depth"]),
            )
            model.add(e.RoundedTriangles(mesh, model.add_primitive(SQUARE), **UNIT))
            found = resultants(model)[0, 2] / (4 / 3 * np.sqrt(1 / 0.7) * row["depth"] ** 1.5)
            assert found == pytest.approx(expected, rel=1e-10)


def pair(law=None, turned=False, **law_of):
    """The two triangles of s1 as points with mass, with the spheres that are given."""
    case, model, sides, spheres = S1["pair"], ns.Model(), [], []
    for name in "AB":
        X = case[name]["corners"]
        N = np.cross(np.subtract(X[1], X[0]), np.subtract(X[2], X[0]))
        behind = N @ np.subtract(X[0], case[name]["centre"]) > 0.0
        order = [0, 1, 2] if behind else [0, 2, 1]
        nodes = [model.add_point(mass=1.0, position=X[k]) for k in range(3)]
        sides.append(model.add_primitive([nodes[k] for k in order]))
        spheres.append((case[name]["radius"], case[name]["centre"]))
    (Ra, ca), (Rb, cb) = spheres
    element = e.RoundedTriangles(
        *sides,
        radius=[Ra],
        centre=[ca],
        other_radius=[Rb],
        other_centre=[cb],
        normal=law or e.Hertz(modulus=case["E_star_Pa"]),
        **law_of,
    )
    model.add(element)
    return model


def test_nodal_forces_of_a_pair():
    case, model = S1["pair"], pair()
    force = resultants(model)[:, :3]
    np.testing.assert_allclose(force[:3], case["A_nodes"]["forces"], rtol=1e-9, atol=1e-20)
    np.testing.assert_allclose(force[3:], case["B_nodes"]["forces"], rtol=1e-9, atol=1e-20)
    contacts = ns.compliant_contacts(model, model.initial_state())
    np.testing.assert_allclose(contacts.normal[0], case["normal"], rtol=1e-12)
    np.testing.assert_allclose(contacts.point[0], case["cps"], rtol=1e-9)
    np.testing.assert_allclose(-contacts.gap[0], case["overlap_sphere"], rtol=1e-9)


def test_patch_of_a_pair():
    case, model = S1["pair"], pair()
    found = e.contact_patches(model, model.initial_state(), model.elements[0])
    assert found.area[0] == pytest.approx(case["polygon_area"], rel=1e-9)
    assert found.fraction[0] == pytest.approx(case["fraction_of_circle"], rel=1e-9)
    assert found.force[0] == pytest.approx(case["force_N"], rel=1e-9)
    assert found.overlap_there[0] == pytest.approx(case["overlap_there"], rel=1e-9)
    assert found.effective_radius[0] == pytest.approx(case["effective_radius"], rel=1e-12)
    np.testing.assert_allclose(found.couple[0], case["moment_about_cps_on_A"], rtol=1e-8)
    np.testing.assert_allclose(found.nearest[0], case["nearest_point"], rtol=1e-8)
    x = found.polygon[0]
    np.testing.assert_allclose((x - found.centre) @ found.normal[0], 0.0, atol=1e-20)
    assert len(x) == 5
    other = ns.Model()
    other.add(model.elements[0].__class__(ball(other, 0)[1], **UNIT))
    with pytest.raises(ValueError, match="element"):
        e.contact_patches(model, model.initial_state(), other.elements[0])


@pytest.mark.parametrize("law", [e.Hertz(modulus=2e5, damping=1e-3), e.LinearPressure(stiffness=1e12)])
def test_nodal_forces_keep_momentum_and_moment(law):
    model = pair(law=law)
    x = np.array([body.position for body in model.bodies])
    force = resultants(model)[:, :3]
    size = np.abs(force).sum()
    assert size > 1e-9
    np.testing.assert_allclose(force.sum(axis=0) / size, 0.0, atol=1e-14)
    np.testing.assert_allclose(np.cross(x, force).sum(axis=0) / (size * 1e-6), 0.0, atol=1e-12)


def test_friction_acts_by_the_part_of_the_circle():
    """All triangles together: Coulomb's cap of the whole force, at the point of contact."""
    model = ns.Model()
    _, mesh = ball(model, 2, turn=S1["turns"][0], position=(0, 0, 0.99), velocity=(3.0, 4.0, 0.0))
    floor = model.add_primitive(SQUARE)
    friction = e.HaffWerner(damping=1.0, mu=0.3)
    model.add(e.RoundedTriangles(mesh, floor, tangential=friction, **UNIT))
    found, whole = resultants(model)[0], 4 / 3 * 0.01**1.5
    np.testing.assert_allclose(found[:3] / whole, [-0.18, -0.24, 1.0], atol=1e-12)
    expected = np.cross([0.0, 0.0, -0.995], found[:3])  # the arm ends in the middle of the overlap
    np.testing.assert_allclose(found[3:], expected, atol=1e-12 * whole)


def test_resistance_of_a_mesh_is_that_of_the_circle():
    model = ns.Model()
    _, mesh = ball(model, 2, turn=S1["turns"][0], position=(0, 0, 0.99), velocity=(0.3, 0.0, -0.5))
    film = e.Resistance(normal=2.0, tangential=1.0, weight="area")
    model.add(e.RoundedTriangles(mesh, model.add_primitive(SQUARE), contact=film, **UNIT))
    area, whole = np.pi * 0.01 * 1.99, 4 / 3 * 0.01**1.5
    found = resultants(model)[0]
    np.testing.assert_allclose(found[:3], [-0.3 * area, 0.0, whole + 2.0 * 0.5 * area], atol=1e-12)
    np.testing.assert_allclose(found[3:], [0.0, 0.3 * 0.995 * area, 0.0], atol=1e-12)


def test_adhesive_meshes_have_the_force_of_the_sphere():
    s = S2["patches"]
    law = e.MaugisDugdale(modulus=s["E_star"], work=s["W"], range=s["h0"])
    R, reach = s["R"], 1.2 * law.detachment(s["R"])
    for level in (1, 2, 3):
        model = ns.Model()
        _, mesh = ball(model, level, radius=R, turn=S1["turns"][1], position=(0, 0, R - 1e-9))
        floor = model.add_primitive(10 * R * SQUARE)
        model.add(e.RoundedTriangles(mesh, floor, normal=law, reach=reach))
        a, _ = law.radii(1e-9, R)
        expected = law.branch(float(a), R).force
        found = resultants(model)[0]
        assert found[2] == pytest.approx(float(expected), rel=1e-11)
        np.testing.assert_allclose(found[3:] / (R * expected), 0.0, atol=1e-12)


@pytest.mark.parametrize("transition", [0.02, 0.2, 0.95, 5.0, 100.0])
def test_the_zone_of_attraction_ends_within_the_extent_of_patches(transition):
    """Triangles out to the rim of the zone are in contact: see PatchGroup."""
    K, R, W = 4 / 3, 1.0, 1e-6
    law = e.MaugisDugdale(
        modulus=1.0, work=W, range=2 * W / transition * (R / (np.pi * W * K * K)) ** (1 / 3)
    )
    a = np.geomspace(1e-6, 0.5, 200)
    overlap, _, c = law.branch(a, R)
    gap = max(law.detachment(R), 0.0)
    stable = overlap > -gap
    extent = 2 * gap + law.extent + np.maximum(overlap, 0.0)
    assert (c**2 / 2 - overlap < extent)[stable].all()
    d = a**2 / 2  # by the circle of the spheres
    assert (c**2 / 2 - d < law.extent + d).all()


@pytest.mark.parametrize("law", [e.GeometricMaugisDugdale, e.MaugisDugdale])
@pytest.mark.parametrize("depth", [1e-3, 3e-2])
def test_wide_zones_of_attraction_are_whole(law, depth):
    for transition in (0.05, 1.0):
        W = 1e-3
        h0 = 2 * W / transition * (1 / (np.pi * W * 16 / 9)) ** (1 / 3)
        given = law(modulus=1.0, work=W, range=min(h0, 0.05))
        model = ns.Model()
        _, mesh = ball(model, 2, turn=S1["turns"][1], position=(0, 0, 1 - depth))
        reach = 1.2 * e.MaugisDugdale(modulus=1.0, work=W, range=given.range).detachment(1.0)
        model.add(e.RoundedTriangles(mesh, model.add_primitive(SQUARE), normal=given, reach=reach))
        found = e.contact_patches(model, model.initial_state(), model.elements[0])
        assert found.fraction.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("area", "square"), [("geometric", 0.01 * 1.99), ("hertz", 0.01)])
def test_uniform_pressure_acts_in_the_circle_of_the_spheres_or_of_hertz(area, square):
    law = {"normal": e.LinearPressure(stiffness=2.0)}
    for turn in S1["turns"]:
        found = on_plane(2, 0.01, turn, law, area=area)
        assert found[2] == pytest.approx(np.pi * square * 2.0 * 0.01, rel=1e-11)


def test_far_sides_and_edges_do_not_count():
    """A ball in a hollow one, as meshes: outer sides have no contact."""
    model = ns.Model()
    vertices, faces = e.icosphere(2)
    _, mesh = ball(model, 2, turn=S1["turns"][0], position=(0, 0, -0.51))
    hollow = model.add_mesh(1.5 * vertices, faces[:, ::-1])
    model.add(e.RoundedTriangles(mesh, hollow, **UNIT))
    force = 4 / 3 * np.sqrt(1.0 / (1 - 1 / 1.5)) * 0.01**1.5
    np.testing.assert_allclose(resultants(model)[0] / force, [0, 0, 1, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize("shape", ["body", "primitive", "cylinder"])
def test_triangles_against_spheres_and_cylinders(shape):
    """All have the force of two spheres, by printed approximation the cylinder too."""
    model = ns.Model()
    _, mesh = ball(model, 2, turn=S1["turns"][2])
    at = (0.0, 0.0, 1.49)
    if shape == "body":
        other = model.add_sphere(radius=0.5, mass=1.0, position=at)
    elif shape == "primitive":
        other = model.add_primitive([at], radius=0.5)
    else:
        other = model.add_primitive([(-1.0, 0.0, 1.49), (1.0, 0.0, 1.49)], radius=0.5)
    model.add(e.RoundedTriangles(mesh, other, **UNIT))
    force = 4 / 3 * np.sqrt(1 / 3) * 0.01**1.5
    np.testing.assert_allclose(resultants(model)[0] / force, [0, 0, -1, 0, 0, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("named", "given"),
    [
        ("normal", {}),
        ("normal", {"normal": e.HaffWerner}),
        ("twisting", {"twisting": e.HaffWerner(damping=1.0, mu=0.1), **UNIT}),
        ("rolling", {"rolling": e.HaffWerner(damping=1.0, mu=0.1), **UNIT}),
        ("quadrature", {"quadrature": "gauss", **UNIT}),
        ("radius", {"radius": [1.0], **UNIT}),
        ("other_radius", {"other_radius": [1.0], **UNIT}),
        (r"radius\[0\]", {"radius": np.full(20, 2.0), "centre": np.zeros((20, 3)), **UNIT}),
        ("centre", {"radius": np.ones(20), "centre": np.zeros((19, 3)), **UNIT}),
        ("radius", {"radius": np.zeros(20), "centre": np.zeros((20, 3)), **UNIT}),
    ],
)
def test_bad_arguments_are_named(named, given):
    _, mesh = ball(ns.Model(), 0)
    with pytest.raises(ValueError, match=named):
        e.RoundedTriangles(mesh, **given)


def test_bad_shapes_are_named():
    model = ns.Model()
    _, mesh = ball(model, 0)
    with pytest.raises(ValueError, match="triangles"):
        e.RoundedTriangles([model.add_primitive(SQUARE)], **UNIT)
    with pytest.raises(ValueError, match="others: radius"):
        e.RoundedTriangles(mesh, model.add_point(mass=1.0, position=(0, 0, 0)), **UNIT)
    with pytest.raises(ValueError, match="others"):
        e.RoundedTriangles(mesh, mesh[:1], **UNIT)
    with pytest.raises(ValueError, match="twice"):
        e.RoundedTriangles([mesh[0], mesh[0]], **UNIT)
    with pytest.raises(ValueError, match="others"):
        e.RoundedTriangles(mesh, "floor", **UNIT)
