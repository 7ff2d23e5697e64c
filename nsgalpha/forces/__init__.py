"""Compliant (penalty) contact: forces that have a value, with tangents, in the smooth motion.

    geometry  ->  contact_frames.py  ->  law (compliant_law.py)  ->  add_wrenches, contact_tangents.py  ->
    schemes/

docs/design/compliant.md says how a pass runs.
"""

from nsgalpha.forces.law_evaluation import evaluate, some_contacts
from nsgalpha.forces.law_kernel import CompiledLaw, law_kernel
from nsgalpha.model.compliant_law import CompliantLaw, Contact, Law, Laws, Response

__all__ = [
    "CompiledLaw",
    "CompliantLaw",
    "Contact",
    "Law",
    "Laws",
    "Response",
    "evaluate",
    "law_kernel",
    "some_contacts",
]
