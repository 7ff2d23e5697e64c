r"""Draw, stun and follow shots

Three cue balls are struck with the same speed and hit three balls full in the face. They differ in their spin
alone. Balls pass on their speed but, smooth as they are here, not their spin. After the impact each cue ball
slides on the cloth with its remaining spin, until it rolls with $\frac57 v + \frac27 R\omega$. With backspin
it draws back, without any it stops (nearly: $e < 1$), with topspin it follows the ball that it struck.

To look at: how soon a ball rolls. Slopes in the right picture change where sliding ends; between, friction
is constant and the paths are parabolas.
"""

import math

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import E_BALLS, GRAVITY, MU_CLOTH, RADIUS, add_ball, add_cloth, billiard_model
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

SPEED = 2.0  # [m/s]
GAP = 0.2  # [m] between the balls
SPINS = {"draw": -1.25, "stun": -0.26, "follow": 1.0}  # R w / v of the stroke, > 0 topspin
H = 5e-4  # [s]


def build(speed: float = SPEED, gap: float = GAP) -> ns.Model:
    """Cue balls 0, 2, 4 and the balls 1, 3, 5 before them."""
    model = billiard_model()
    for lane, (name, spin) in enumerate(SPINS.items()):
        y, turning = -5.0 * RADIUS * lane, (0.0, spin * speed / RADIUS, 0.0)
        cue = add_ball(model, (0.0, y), velocity=(speed, 0.0, 0.0), angular_velocity=turning, name=name)
        ball = add_ball(model, (2.0 * RADIUS + gap, y))
        model.add(SphereSphere(pairs=[(cue, ball)], e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=MU_CLOTH))
    return model


def run(speed: float = SPEED, gap: float = GAP) -> ns.Result:
    """Until all balls roll."""
    return simulate(build(speed, gap), t_end=1.2, h=H, record_every=4)


def expected(spin: float, speed: float, gap: float) -> tuple[float, float]:
    """Final rolling speeds [m/s] of the cue ball and the other."""
    sense = math.copysign(1.0, spin - 1.0) if spin != 1.0 else 0.0
    v = math.sqrt(speed**2 + 2.0 * sense * MU_CLOTH * GRAVITY * gap)
    turning = spin * speed - 2.5 * (v - speed)
    cue, ball = 0.5 * (1.0 - E_BALLS) * v, 0.5 * (1.0 + E_BALLS) * v
    return 5.0 / 7.0 * cue + 2.0 / 7.0 * turning, 5.0 / 7.0 * ball


def check(result: ns.Result) -> list[Row]:
    """Speeds of rolling; an impact is placed within one step, in which friction does 2 mu g h."""
    rows, tolerance = [], 2.0 * MU_CLOTH * GRAVITY * H
    for k, (name, spin) in enumerate(SPINS.items()):
        speeds = expected(spin, SPEED, result.position[0, 2 * k + 1, 0] - 2.0 * RADIUS)
        for what, i, speed in zip(("cue ball", "ball"), (2 * k, 2 * k + 1), speeds, strict=True):
            rows.append(Row(f"{name}: {what} rolls with", "m/s", speed, result.velocity[-1, i, 0], tolerance))
    return rows


def figure(result: ns.Result) -> Figure:
    """The table at 0.5 s, and places over time."""
    drawn, (left, right) = new_figure(1, 2, size=(9.6, 4.0), width_ratios=(5, 4))
    paint(left, result, Camera((0.35, -1.35, 0.8), (0.4, -0.13, 0.0)), t=0.5, size=(960, 640))
    for k, name in enumerate(SPINS):
        right.plot(result.t, result.position[:, 2 * k, 0], color=COLOURS[k], label=name)
        right.plot(result.t, result.position[:, 2 * k + 1, 0], color=COLOURS[k], linestyle=":")
    label(right, "t [s]", "x [m]", "cue balls (lines) and the balls they hit (dotted)", legend="upper left")
    return drawn


if __name__ == "__main__":
    main(__file__)
