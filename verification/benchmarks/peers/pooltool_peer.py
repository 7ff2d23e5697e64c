"""pooltool: balls on a table, from event to event, with its models of impacts."""

from importlib.metadata import version
from time import process_time

import pooltool as pt
from pooltool.objects.table.specs import BilliardTableSpecs

ROLLING = 0.01  # coefficient: without it two balls that roll stop the program


def table(scene):
    """Balls within four cushions; x is along its length. The least seconds of the repeats, and velocities."""
    length, width = scene["size"]
    seconds = []
    for _ in range(scene["repeats"]):
        specs = BilliardTableSpecs(l=length, w=width)
        balls = {}
        for k, (x, y, _z) in enumerate(scene["position"]):
            given = {"m": scene["mass"], "R": scene["radius"], "u_s": scene["mu"], "u_r": ROLLING}
            given |= {"e_c": scene["e_n"], "f_c": scene["mu"], "g": scene["gravity"]}
            at = (y + 0.5 * width, x + 0.5 * length)
            balls[str(k)] = pt.Ball.create(str(k), xy=at, **given)
            vx, vy, vz = scene["velocity"][k]
            if vx or vy:
                balls[str(k)].state.rvw[1] = (vy, vx, vz)
                balls[str(k)].state.s = pt.constants.sliding
        shot = pt.System(cue=pt.Cue(cue_ball_id="0"), table=pt.Table.from_table_specs(specs), balls=balls)
        begun = process_time()
        pt.simulate(shot, inplace=True, t_final=scene["t"])
        seconds.append(process_time() - begun)
    found = {"version": version("pooltool-billiards"), "seconds": min(seconds), "events": len(shot.events)}
    return {**found, "velocity": [ball.state.rvw[1].tolist() for ball in shot.balls.values()]}
