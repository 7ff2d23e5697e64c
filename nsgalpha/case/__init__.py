"""Case files: models and their runs as TOML.

    case = load_case("break.toml")
    result = case.run("break.h5")

    toml_lines.py, size_limits.py                  lines of keys, limits of size
    plugin_catalogue.py, scalar_types.py,
    table_types.py, case_schema.py                 allowed contents, from the signatures of installed elements
    toml_tables.py, model_builder.py              from a text to a model
    case_commands.py, result_commands.py           the commands

The public names are in __init__.pyi, and each is imported at its first use. The command line and catalogues
of other packages need no validation.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
