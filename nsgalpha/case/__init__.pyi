from . import layouts
from .case_errors import CaseError
from .case_file import Case, load_case, parse_case
from .case_schema import json_schema
from .plugin_catalogue import Catalogue
from .size_limits import Limits

__all__ = ["Case", "CaseError", "Catalogue", "Limits", "json_schema", "layouts", "load_case", "parse_case"]
