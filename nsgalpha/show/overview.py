"""One figure with an overview of a run."""

import numpy as np

from nsgalpha.checks import named
from nsgalpha.model.model import Model
from nsgalpha.run.result import Result
from nsgalpha.show.figure_style import Figure, label, new_figure
from nsgalpha.show.periodic_images import shown_places
from nsgalpha.show.pictures import look, still
from nsgalpha.show.plots import paths
from nsgalpha.show.user_choices import AXES, result_of


@named
def overview(result: Result) -> Figure:
    """Paths of loose balls; for other bodies pictures of the first and last state.

    Paths are drawn in the plane of the two axes along which the bodies and their motion extend furthest.
    Where that leaves a choice, the view is from above.

    Raises ValueError if there is nothing to see.
    """
    model = result_of(result).model
    if not are_loose_balls(model):
        return _states(result)
    radius = np.array([body.radius for body in model.bodies])[:, None]
    x = shown_places(model, np.asarray(result.position), result.t)
    size = np.nanmax(x + radius, axis=(0, 1)) - np.nanmin(x - radius, axis=(0, 1))
    shortest = np.flatnonzero(size <= size.min() * (1.0 + 1e-9))[-1]
    return paths(result, plane=AXES.replace(AXES[shortest], ""))


def are_loose_balls(model: Model) -> bool:
    """True if circles show the bodies fully."""
    others = model.primitives or model.surfaces or model.joints
    return not others and any(body.radius > 0.0 for body in model.bodies)


def _states(result: Result) -> Figure:
    """Stills of the first and the last state, from one place."""
    times = sorted({float(result.t[0]), float(result.t[-1])})
    figure, axes = new_figure(1, len(times), size=(4.8 * len(times), 3.9))
    camera = look(result)
    for axis, t in zip(np.atleast_1d(axes), times, strict=True):
        axis.imshow(still(result, t=t, camera=camera))
        label(axis, "", "", f"t = {t:g} s")
        axis.set_axis_off()
    return figure
