"""Motion from impact to impact: the stepper against closed forms.

The program of the converged values of impact_phases knows no step and shares nothing with the solver. It
integrates pieces of smooth motion to 1e-12 and locates impacts to rounding. At an impact all touching
contacts pass through a sequence without loads (percussions.py), after which the loads act again (loads.py).
Here it is held against closed forms and against rigid_impact.py, a second calculation of sequences.

Tolerance: rounding of the integration, 1e-12 of the values, over some pieces.
"""

import math

import numpy as np

from verification.analytic import ball_chains, bouncing_ball, rolling_ball
from verification.balls import E_BALLS, GRAVITY, INERTIA, MASS, MU_BALLS, MU_CLOTH, RADIUS
from verification.billiard_break import model as four
from verification.billiard_break import reference as by_hand
from verification.impact_reference.scene import Law, Plane, alike
from verification.impact_reference.stepper import follow
from verification.outcome import Outcome, Row, component_rows
from verification.rigid_impact import impact_sequence

EXACT = 1e-10  # [m/s], [s], [m]
CLOSED = "closed form ({})"
UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -GRAVITY)
BALL = (RADIUS, MASS, INERTIA)


def chain_rows() -> list[Row]:
    """Cradles, one ball onto two, the frictionless break, struck from half a diameter."""
    cases = [
        (f"cradle of {count}, e {e:g}", ball_chains.row_of_balls(count), ball_chains.cradle(count, e), e)
        for count, e in ((2, 1.0), (3, 1.0), (5, 1.0), (20, 1.0), (3, E_BALLS))
    ]
    ahead = [(-1.0, 0.0), (0.0, 0.0)]
    two, broken = ball_chains.one_onto_two(E_BALLS)[:, 0], ball_chains.frictionless_break(E_BALLS)[:, 0]
    cases.append(("one ball onto two", [ahead[1], *ball_chains.TWO], two, E_BALLS))
    cases.append(("break without friction", [*ahead, *ball_chains.TWO], broken, E_BALLS))
    rows = []
    for label, places, expected, e in cases:
        centres = np.hstack([2.0 * RADIUS * np.array(places), np.zeros((len(places), 1))])
        centres[0, 0] -= RADIUS
        motion = follow(alike(BALL, centres, {0: (1.0, 0.0, 0.0)}, balls=Law(e=e)), 1.2 * RADIUS)
        names, source = [f"ball {i + 1}" for i in range(len(places))], "closed form (analytic/ball_chains.py)"
        rows += component_rows(f"{label}, v_x", names, "m/s", expected, motion.state.v[:, 0], EXACT, source)
    return rows


def oblique_rows() -> list[Row]:
    """Throw of a ball struck at an angle, with friction that slips and that sticks."""
    rows, source = [], "tan = min(mu, 2 tan(cut) / (7 (1 + e))) (docs/tutorial.md)"
    for cut, mu in ((30.0, MU_BALLS), (10.0, 0.5)):
        angle = math.radians(cut)
        start = [-2.0 * RADIUS * math.cos(angle) - 1e-3, -2.0 * RADIUS * math.sin(angle), 0.0]
        shot = alike(BALL, [start, [0.0, 0.0, 0.0]], {0: (2.0, 0.0, 0.0)}, balls=Law(mu, E_BALLS))
        v = follow(shot, 1e-3).state.v[1]
        expected = math.atan(min(mu, 2.0 * math.tan(angle) / (7.0 * (1.0 + E_BALLS))))
        ours = angle - math.atan2(v[1], v[0])
        rows.append(Row(f"throw at {cut:g} degrees, mu {mu:g}", "rad", expected, ours, EXACT, source))
    return rows


def break_rows() -> list[Row]:
    """The break of four balls on its cloth, against the sequence by hand."""
    _, speed, spin = by_hand.at_impact(0.0)
    x, y = four.APEX
    behind = [(x + four.BEHIND, y + side * RADIUS, RADIUS) for side in (1.0, -1.0)]
    places = [(x - 2.0 * RADIUS, y, RADIUS), (x, y, RADIUS), *behind]
    turning = np.zeros((4, 3))
    turning[0, 1] = spin
    ball = (RADIUS, four.MASS, four.INERTIA)
    law, cloth = Law(MU_BALLS, E_BALLS), Plane(UP, 0.0, Law(MU_CLOTH))
    moving = {0: (speed, 0.0, 0.0)}
    rack = alike(ball, places, moving, balls=law, spin=turning, planes=(cloth,), gravity=DOWN)
    ours = follow(rack, 1.0, theta=0.0, most=1).state.v
    expected, _ = impact_sequence(by_hand.touches(0.0), rack.velocity, rack.spin, ball)
    names = [f"{name} v_{axis}" for name in four.NAMES for axis in "xyz"]
    source = "rigid impacts by hand (rigid_impact.py)"
    return component_rows("break of four", names, "m/s", expected, ours, EXACT, source)


def motion_rows() -> list[Row]:
    """Accumulating bounces, sliding that becomes rolling, a column that returns its momentum."""
    at = (0.0, 0.0, bouncing_ball.RADIUS + bouncing_ball.HEIGHT)
    ground = Plane(UP, 0.0, Law(e=bouncing_ball.E_N))
    weight = (0.0, 0.0, -bouncing_ball.GRAVITY)
    drop = alike((bouncing_ball.RADIUS, 1.0, 1.0), [at], {}, planes=(ground,), gravity=weight)
    bounces = follow(drop, 1.1 * bouncing_ball.rest_time()).impacts
    cloth = Plane(UP, 0.0, Law(MU_CLOTH))
    start = {0: (rolling_ball.SPEED, 0.0, 0.0)}
    slide = alike(BALL, [(0.0, 0.0, RADIUS)], start, planes=(cloth,), gravity=DOWN)
    rolling = follow(slide, 0.5).pieces[1].state
    free = rolling_ball.motion(rolling_ball.SPEED, MU_CLOTH, 0.0)
    heights = RADIUS * np.array([11.0, 1.0, 3.0, 5.0, 7.0]) + [1e-2, 0.0, 0.0, 0.0, 0.0]
    upright = np.stack([np.zeros(5), np.zeros(5), heights], axis=1)
    floor = Plane(UP, 0.0, Law(e=1.0))
    falling = {0: (0.0, 0.0, -1.0)}
    column = alike(BALL, upright, falling, balls=Law(e=1.0), planes=(floor,), gravity=DOWN)
    struck = follow(column, 1.0, most=1).impacts[0]
    gap = heights[0] - heights[-1] - 2.0 * RADIUS
    back = np.array([math.sqrt(1.0 + 2.0 * GRAVITY * gap), 0.0, 0.0, 0.0, 0.0])
    values = [
        ("third bounce", "s", bouncing_ball.impact_times(3)[2], bounces[2].t, "analytic/bouncing_ball.py"),
        ("last bounce", "s", bouncing_ball.rest_time(), bounces[-1].t, "analytic/bouncing_ball.py"),
        ("rolling begins", "s", free.t_roll, rolling.t, "analytic/rolling_ball.py"),
        ("place where rolling begins", "m", free.x_roll, rolling.x[0, 0], "analytic/rolling_ball.py"),
        ("speed of rolling", "m/s", free.v_roll, rolling.v[0, 0], "analytic/rolling_ball.py"),
    ]
    values += [
        (f"elastic column under gravity, ball {i}", "m/s", expected, ours, "equal balls exchange velocities")
        for i, (expected, ours) in enumerate(zip(back, struck.after.v[:, 2], strict=True))
    ]
    return [
        # the rest of the bounces below QUIET of percussions.py
        Row(name, unit, expected, ours, 1e-8 if name == "last bounce" else EXACT, CLOSED.format(source))
        for name, unit, expected, ours, source in values
    ]


def run() -> Outcome:
    """All checks of the stepper; nothing of nsgalpha runs."""
    return Outcome(rows=[*chain_rows(), *oblique_rows(), *break_rows(), *motion_rows()])
