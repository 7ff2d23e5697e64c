from .compliant_law import CompliantLaw, Contact, Law, Laws, Response
from .law_evaluation import evaluate, some_contacts
from .law_kernel import CompiledLaw, law_kernel

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
