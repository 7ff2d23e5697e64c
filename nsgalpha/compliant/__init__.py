"""Compliant (penalty) contact: forces that have a value, with tangents, in the smooth motion.

    geometry  ->  frames.py  ->  law (law.py)  ->  add_wrenches, tangent.py  ->  schemes/

docs/design/compliant.md says how a pass runs.
"""

from nsgalpha.compliant.evaluate import evaluate, some_contacts
from nsgalpha.compliant.law import CompliantLaw, Contact, Law, Laws, Response
from nsgalpha.compliant.law_kernel import CompiledLaw, law_kernel

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
