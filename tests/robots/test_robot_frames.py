"""Frames, masses and axes of all descriptions by homogeneous matrices, read by ElementTree."""

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import nsgalpha as ns
from tests.robots.test_robot_descriptions import ALL, FILES, START, axes, moments, read, start_of, world_end

DESCRIPTIONS = Path(__file__).parent / "descriptions"


def numbers(element, key, default):
    return np.array((default if element is None else element.get(key, default)).split(), float)


def matrix(element):
    """The 4 x 4 matrix of <origin>: rotation about x, then y, then z of the outer frame, then translation."""
    origin = element.find("origin")
    (a, b, c), T = numbers(origin, "rpy", "0 0 0"), np.eye(4)
    Rx = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    Ry = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    Rz = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    T[:3, :3], T[:3, 3] = Rz @ Ry @ Rx, numbers(origin, "xyz", "0 0 0")
    return T


def moved(joint, value):
    """The 4 x 4 matrix of a coordinate; rotations by the formula of Rodrigues."""
    n, T = numbers(joint.find("axis"), "xyz", "1 0 0"), np.eye(4)
    n = n / np.sqrt(n @ n)
    if joint.get("type") == "prismatic":
        T[:3, 3] = n * value
    else:
        K = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
        T[:3, :3] = np.eye(3) + np.sin(value) * K + (1 - np.cos(value)) * K @ K
    return T


def frames(name, values):
    """Root element, 4 x 4 matrices of links, and of joints before their motion."""
    root = ElementTree.parse(DESCRIPTIONS / f"{name}.urdf").getroot()
    joints = {each.get("name"): each for each in root.findall("joint")}
    children = {each.find("child").get("link") for each in joints.values()}
    (base,) = {each.get("name") for each in root.findall("link")} - children
    links, places = {base: np.eye(4)}, {}
    while len(places) < len(joints):
        for key, joint in joints.items():
            parent = joint.find("parent").get("link")
            if parent in links and key not in places:
                places[key] = links[parent] @ matrix(joint)
                links[joint.find("child").get("link")] = places[key] @ moved(joint, values.get(key, 0.0))
    return root, links, places


@pytest.mark.parametrize("name", FILES)
def test_frames_of_links_are_products_of_matrices(name):
    """Of all links: merged ones, massless ones, and those of a base that stands still."""
    robot = read(name)
    _, links, _ = frames(name, start_of(robot, name))
    for link, T in links.items():
        marker = robot.marker(link)
        point, own = marker.position, marker.axes
        if marker.carrier is not None:
            R = axes(marker.carrier)
            point, own = marker.carrier.position + R @ point, own @ R.T
        assert np.abs(point - T[:3, 3]).max() < 1e-12, link
        assert np.abs(own.T - T[:3, :3]).max() < 1e-12, link


@pytest.mark.parametrize("name", FILES)
def test_moments_of_bodies_are_sums_of_those_of_their_links(name):
    robot = read(name)
    root, links, _ = frames(name, start_of(robot, name))
    for body in robot.model.bodies:
        if body.fixed:
            continue
        wanted = np.zeros(13)
        for link in root.findall("link"):
            own = link.find("inertial")
            if own is None or robot.bodies.get(link.get("name")) is not body:
                continue
            T, tensor = links[link.get("name")] @ matrix(own), own.find("inertia")
            x, y, z = ([float(tensor.get(f"i{min(a, b)}{max(a, b)}")) for b in "xyz"] for a in "xyz")
            inertia = T[:3, :3] @ np.array([x, y, z]) @ T[:3, :3].T
            wanted += moments(float(own.find("mass").get("value")), T[:3, 3], inertia)
        R = axes(body)
        found = moments(body.mass, body.position, R @ body.inertia @ R.T)
        for part in (slice(1), slice(1, 4), slice(4, 13)):
            assert np.abs(found - wanted)[part].max() <= 1e-12 * np.abs(wanted)[part].max(initial=1e-3)


@pytest.mark.parametrize("name", FILES)
def test_joints_are_where_their_parent_has_them(name):
    robot = read(name)
    root, _, places = frames(name, start_of(robot, name))
    for joint in root.findall("joint"):
        if joint.get("name") not in robot.joints:
            continue
        T, n = places[joint.get("name")], numbers(joint.find("axis"), "xyz", "1 0 0")
        point, own = world_end(robot.joint(joint.get("name")), 0)
        assert np.abs(point - T[:3, 3]).max() < 1e-12
        assert np.abs(own[2] - T[:3, :3] @ n / np.linalg.norm(n)).max() < 1e-12


def test_every_description_is_among_the_starts():
    assert set(FILES) == set(START)
    assert len(FILES) == 12
    assert set(ALL) <= set(FILES)


def test_a_model_has_its_robots_by_name_and_prefix():
    path = DESCRIPTIONS / "cart_pole.urdf"
    first = ns.read_urdf(path)
    second = ns.read_urdf(path, model=first.model, prefix="left ", position=(0, 2.0, 0))
    assert list(first.model.robots.values()) == [first, second]
    assert list(first.model.robots) == [first.name, "left " + first.name]
    joint = next(iter(first.joints))
    assert first.model.robots["left " + first.name].joint(joint) is second.joints[joint]
