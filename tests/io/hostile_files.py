"""Files that somebody made to do harm, by name: the run whose file is changed, how, and what must be said.

The doors that are named must refuse the file; all others may read it, or refuse it.
"""

from tests.io import hostile_hdf5, hostile_names, hostile_tables
from tests.io.hostile import Hostile

FILES: dict[str, Hostile] = {**hostile_names.FILES, **hostile_tables.FILES, **hostile_hdf5.FILES}
