"""Errors of the scenes over the phase of their start."""

from verification.persistent_contact import STEPS, studies_of
from verification.persistent_contact.model import SCENES
from verification.phases import Study


def studies(phases: int) -> list[Study]:
    """Position and velocity at the end, scene by scene."""
    return [each for scene in SCENES for each in studies_of(scene, phases, STEPS)]
