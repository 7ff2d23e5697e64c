"""Case files: models and their runs as TOML.

    case = load_case("break.toml")
    result = case.run("break.h5")

toml_lines.py: where keys are; size_limits.py: how much a file may ask for; plugin_catalogue.py,
scalar_types.py, table_types.py, case_schema.py: what may be said, from the signatures of what is installed;
table_checks.py, model_builder.py: from a text to a model; case_commands.py, result_commands.py: the commands.
The public names are in __init__.pyi, and each is imported when it is first used: the command line and
catalogues of other packages need no validation.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
