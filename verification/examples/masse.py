r"""Massé: shots around a ball

A cue that points down gives the ball a spin about the direction in which it runs. While the ball slides,
friction has the direction of the slip of its lowest point. This direction is constant, since friction changes
centre and spin in proportion. The centre runs on a parabola,

$$x = v_0 t - \tfrac12 \mu g\, \hat u_0 t^2, \qquad u_0 = v_0 - R\,\omega_0 \times e_z,$$

until at $t = \frac{2 |u_0|}{7 \mu g}$ it rolls, straight on with $v_0 - \frac27 u_0$.

To look at: the blue ball is in the way. The shots, with more and more spin, run around it; one of them comes
to hit the ball behind it, which no straight shot can.
"""

import numpy as np

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.show import Camera
from nsgalpha.show.figure_style import COLOURS, Figure, label, new_figure
from verification.balls import E_BALLS, GRAVITY, MU_CLOTH, RADIUS, add_ball, add_cloth, billiard_model, slip
from verification.example import main, paint
from verification.outcome import Row
from verification.run import simulate

SPEED, AIM = 1.6, 20.0  # [m/s], [deg] to the left of the ball in the way
SPINS = (0.0, 0.45, 0.9, 1.35)  # R w / v about the direction of the shot
H = 1e-3  # [s]


def build(spins: tuple[float, ...] = SPINS, aim: float = AIM) -> ns.Model:
    """Ball 0 is in the way of ball 1; the others are independent cue balls."""
    model = billiard_model()
    balls = [add_ball(model, (0.35, 0.0), name="in the way"), add_ball(model, (0.9, 0.0), name="behind it")]
    ahead = np.array([np.cos(np.radians(aim)), np.sin(np.radians(aim)), 0.0])
    cues = [
        add_ball(model, (0.0, 0.0), velocity=SPEED * ahead, angular_velocity=spin * SPEED / RADIUS * ahead)
        for spin in spins
    ]
    model.add(SphereSphere(between=(cues, balls), e_n=E_BALLS))
    model.add(SpherePlane(model.spheres, add_cloth(model), mu=MU_CLOTH))
    return model


def run(spins: tuple[float, ...] = SPINS, aim: float = AIM) -> ns.Result:
    """Until the balls have run around, or into, the ball in the way."""
    return simulate(build(spins, aim), t_end=1.0, h=H, record_every=2)


def parabola(t: np.ndarray, v: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Places (n, 2) [m] at the times (n,) after the stroke with velocity `v` and slip `u` (2,) [m/s]."""
    sliding, size = np.minimum(t, 2.0 * np.linalg.norm(u) / (7.0 * MU_CLOTH * GRAVITY)), np.linalg.norm(u)
    curved = np.outer(sliding, v) - 0.5 * MU_CLOTH * GRAVITY * np.outer(sliding**2, u / size)
    return curved + np.outer(t - sliding, v - 2.0 / 7.0 * u)


def spins_of(result: ns.Result) -> np.ndarray:
    """R w / v of the strokes."""
    return np.linalg.norm(result.angular_velocity[0, 2:], axis=1) * RADIUS / SPEED


def check(result: ns.Result) -> list[Row]:
    """Places until the first impact; the transition to rolling is exact to mu g h^2."""
    start = slip(result.velocity[0], result.angular_velocity[0])[:, :2]
    struck = result.velocity[:, 1, 0] > 0.0
    alone = slice(0, int(np.argmax(struck)) - 1 if struck.any() else len(result.t))
    rows = []
    for i, spin in enumerate(spins_of(result), 2):
        path = parabola(result.t[alone], result.velocity[0, i, :2], start[i])
        off = np.abs(result.position[alone, i, :2] - path).max()
        title = f"spin {spin:.3g} v/R: largest distance from the parabola"
        rows.append(Row(title, "m", 0.0, off, MU_CLOTH * GRAVITY * H**2))
    for i, speed, title in ((0, 0.0, "ball in the way"), (1, 1.0, "ball behind it")):
        moved = float(np.abs(result.velocity[-1, i]).max() > 1e-9)
        rows.append(Row(f"{title}: moved", "-", speed, moved, 1e-9))
    return rows


def figure(result: ns.Result) -> Figure:
    """The table as the balls pass the obstacle, and their paths from above."""
    drawn, (above, below) = new_figure(2, 1, size=(6.4, 6.4), height_ratios=(3, 2))
    paint(above, result, Camera((0.25, -1.1, 0.8), (0.42, 0.07, 0.0)), t=0.36, size=(960, 560))
    circle = RADIUS * np.exp(1j * np.linspace(0.0, 2.0 * np.pi, 60))
    for i in (0, 1):
        at = complex(*result.position[0, i, :2]) + circle
        below.fill(at.real, at.imag, color=COLOURS[1], linewidth=0)
    for i, spin in enumerate(spins_of(result), 2):
        alpha = 0.3 + 0.7 * (i - 1) / (len(result.model.bodies) - 2)
        below.plot(*result.position[:, i, :2].T, color=COLOURS[0], alpha=alpha)
        below.annotate(f"{spin:.3g} v/R", result.position[-1, i, :2], fontsize=8)
    below.set_aspect("equal")
    label(below, "x [m]", "y [m]", "paths of the cue ball, with the spin")
    return drawn


if __name__ == "__main__":
    main(__file__)
