from . import case_page, file_summary, html_report, layouts, run_summary
from .case_errors import CaseError
from .case_file import Case, load_case, parse_case
from .case_schema import json_schema
from .plugin_catalogue import Catalogue
from .size_limits import Limits

__all__ = [
    "Case",
    "CaseError",
    "Catalogue",
    "Limits",
    "case_page",
    "file_summary",
    "html_report",
    "json_schema",
    "layouts",
    "load_case",
    "parse_case",
    "run_summary",
]
