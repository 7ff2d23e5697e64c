# ruff: noqa: I001
from . import case_page as case_page, file_summary as file_summary, html_report as html_report
from . import layouts as layouts, run_summary as run_summary
from .case_errors import CaseError as CaseError
from .case_file import Case as Case, load_case as load_case, parse_case as parse_case
from .case_schema import json_schema as json_schema
from .plugin_catalogue import Catalogue as Catalogue
from .size_limits import Limits as Limits

__all__: list[str]
