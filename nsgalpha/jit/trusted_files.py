"""Folders and files that others can change. Machine code is kept in pickles, and the author of a pickle runs
code in its reader. Only files that nobody but the user and root can change are therefore read.

The folder and those around it, up to the user's home, are tested. Anyone with access to one of these can put
another folder in place of this one, unless it is sticky, as /tmp. Where there are no owners and modes, on
Windows, nothing is asked.
"""

import os
import stat
from functools import cache


@cache
def distrusted(folder: str) -> str:
    """The reason why others could change files in `folder`, or ""; asked once."""
    return (
        _asked(os.path.abspath(folder), os.path.expanduser("~"), around=False) if os.name == "posix" else ""
    )


def distrusted_file(path: str) -> str:
    """The reason why others could have written a file in a trusted folder, or ""."""
    if os.name != "posix":
        return ""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return ""
    return _who(path, found) if stat.S_ISREG(found.st_mode) else f"{path!r} is no regular file"


def _asked(path: str, home: str, *, around: bool) -> str:
    """The reason for `path` itself, or one `around` it; links are followed."""
    try:
        found = os.lstat(path)
    except OSError as error:
        return f"{path!r} cannot be looked at: {error.strerror}"
    parent = os.path.dirname(path)
    if stat.S_ISLNK(found.st_mode):
        target = os.path.join(parent, os.readlink(path))
        return _owner(path, found) or _asked(parent, home, around=True) or _asked(target, home, around=around)
    guarded = around and found.st_mode & stat.S_ISVTX
    reason = _owner(path, found) if guarded else _who(path, found)
    return reason or ("" if path in (parent, home) else _asked(parent, home, around=True))


def _who(path: str, found: os.stat_result) -> str:
    """Accounts besides the user and root that can write to it."""
    if found.st_mode & stat.S_IWOTH:
        return f"{path!r} can be written to by everybody"
    if found.st_mode & stat.S_IWGRP and not _private(found.st_gid):
        return f"{path!r} can be written to by its group"
    return _owner(path, found)


def _owner(path: str, found: os.stat_result) -> str:
    return "" if found.st_uid in (0, os.geteuid()) else f"{path!r} belongs to another user"


@cache
def _private(group: int) -> bool:
    """True for the private group that many systems make per user, or root's.

    Such systems set the umask 002, and all that is made can be written to by this group.
    """
    import grp
    import pwd

    try:
        found, user = grp.getgrgid(group), pwd.getpwuid(os.geteuid())
    except KeyError:  # numbers without a name, as in some containers
        return False
    own = group == 0 or (group == user.pw_gid and found.gr_name == user.pw_name)
    return own and set(found.gr_mem) <= {user.pw_name, "root"}
