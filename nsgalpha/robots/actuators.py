"""Actuators of joints, with the loads that MuJoCo has for a control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from nsgalpha.model.joint_interface import Joint
from nsgalpha.model.time_function import Given, time_function


class Actuator(NamedTuple):
    """An actuator of a joint: its load is that of MuJoCo for a control u.

    motor: gear gain u. position: gear (gain (u - gear c) - damping gear c'). velocity: gear gain (u - gear
    c'). c is the coordinate of the joint.
    """

    joint: str
    kind: str  # "motor", "position" or "velocity"
    gain: float
    damping: float
    gear: float


def actuator_load(
    actuator: Actuator, joints: Mapping[str, Joint], control: Given, makers: Mapping[str, Any]
) -> Any:
    """The load of an `actuator` with a `control`, by the `makers` of its kinds."""
    joint, gear = joints[actuator.joint], actuator.gear
    u = time_function("control", control, straight=True)
    if actuator.kind == "motor":
        return makers["motor"](joint, _scaled(u, gear * actuator.gain, control))
    damping = actuator.damping * gear * gear
    if actuator.kind == "velocity":
        return makers["velocity"](joint, lambda t: (0.0, u.at(t)[0] / gear), stiffness=0.0, damping=damping)
    target = _scaled(u, 1.0 / gear, control)
    return makers["position"](joint, target, stiffness=actuator.gain * gear * gear, damping=damping)


def _scaled(u: Any, factor: float, control: Given) -> float | Callable[[float], tuple[float, float]]:
    """`factor` times the control; a damper of MuJoCo does not follow its rate."""
    if isinstance(control, int | float):
        return factor * float(control)
    return lambda t: (factor * u.at(t)[0], 0.0)
