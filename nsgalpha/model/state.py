"""The state of a model: all that a run needs to continue identically."""

from dataclasses import dataclass

import numpy as np

from nsgalpha.arrays import Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class ContactHistory:
    """What the compliant contacts of a state remember; one row per contact that is closed."""

    pair: Ints  # (K, 4) number of the element among the compliant ones, bodies a, b, plane or -1
    tangent: Floats  # (K, 3) first tangent of the contact's frame, inertial
    values: Floats  # (K, k) history of the law, filled up with zeros to the longest
    opened: Floats  # (elements, k) sums of the last histories of contacts that have opened since


@dataclass(frozen=True, slots=True, eq=False)
class ContactForces:
    """Forces by which set-valued contacts carried loads over the last step, without impacts; a row each."""

    a: Ints  # (K,) body A
    b: Ints  # (K,) body B; any number where side B is a plane
    plane: Ints  # (K,) -1 where side B is a body
    wrench: Floats  # (K, 6) force [N] and torque [N m] on A, inertial

    def check(self) -> None:
        """Raise ValueError unless the arrays belong together and the forces are finite."""
        count, shape = len(self.a), np.shape(self.wrench)
        together = len(self.b) == len(self.plane) == count and shape == (count, 6)
        if not together or not np.isfinite(self.wrench).all():
            raise ValueError(
                f"state.forces.wrench of shape {shape}: must be finite, 6 for each of the {count} "
                "contacts in a, b and plane; use a state of the same model, or None"
            )


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Time and motion of all bodies; arrays (bodies, ...), vectors inertial unless said.

    `acceleration` is the smooth acceleration of the last step and `auxiliary` the scheme's own
    (6: linear, angular; angular in the body frame unless the inertia is isotropic); both are
    memory of the integrator. Without them (None) a run starts from consistent accelerations.
    `contacts` is the memory of compliant contacts whose laws have one; without it they start anew.
    From `forces` those of set-valued contacts are found again: where they are not unique, in a pile of many
    bodies, a run that starts without them has others, and its first step moves the bodies a little.

    >>> model = ns.Model(gravity=(0, 0, -10))
    >>> ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 20))
    >>> half = ns.simulate(model, t_end=0.5, h=0.01).state()
    >>> round(half.t, 9), half.velocity[ball].round(9)
    (0.5, array([ 0.,  0., -5.]))
    >>> ns.simulate(model, t_end=1.0, h=0.01, state=half).velocity[-1, ball].round(9)
    array([  0.,   0., -10.])
    """

    t: float  # [s]
    position: Floats  # (N, 3) [m]
    rotation: Floats  # (N, 4) unit quaternion, scalar first, body to inertial
    velocity: Floats  # (N, 3) [m/s]
    angular_velocity: Floats  # (N, 3) [rad/s]
    acceleration: Floats | None = None  # (N, 6) [m/s^2, rad/s^2]
    auxiliary: Floats | None = None  # (N, 6)
    contacts: ContactHistory | None = None
    forces: ContactForces | None = None

    def check(self, count: int) -> None:
        """Raise ValueError unless the state is finite and of `count` bodies."""
        widths = {
            "position": 3,
            "rotation": 4,
            "velocity": 3,
            "angular_velocity": 3,
            "acceleration": 6,
            "auxiliary": 6,
        }
        for name, width in widths.items():
            value = getattr(self, name)
            if value is None and width == 6:
                continue
            if np.shape(value) != (count, width) or not np.isfinite(value).all():
                raise ValueError(
                    f"state.{name} of shape {np.shape(value)}: must be finite and of shape {(count, width)}; "
                    "use a state of the same model"
                )
        if self.forces is not None:
            self.forces.check()
        if (self.acceleration is None) != (self.auxiliary is None):
            raise ValueError("state.acceleration and state.auxiliary: give both or none of them")
