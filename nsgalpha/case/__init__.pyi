from . import layouts
from .case import Case, load_case, parse_case
from .catalogue import Catalogue
from .errors import CaseError
from .limits import Limits
from .schema import json_schema

__all__ = ["Case", "CaseError", "Catalogue", "Limits", "json_schema", "layouts", "load_case", "parse_case"]
