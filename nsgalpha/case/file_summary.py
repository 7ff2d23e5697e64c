"""Summary of a result file: model, scheme, versions, times, contacts, status."""

from pathlib import Path
from typing import Any

import numpy as np

from nsgalpha.io.file_repair import repair as repair
from nsgalpha.io.file_repair import whole_parts
from nsgalpha.io.open_file import attribute, open_file, refusing
from nsgalpha.io.result_reader import load, plain_settings, scheme_in_words, versions
from nsgalpha.model.contact_element import CompliantElement
from nsgalpha.model.model_repr import counted
from nsgalpha.run.result import Result


def file_summary(path: str) -> dict[str, Any]:
    """The facts of a result file, ready for JSON; errors are those of `ns.load`."""
    result = load(path)
    parts, damage = whole_parts(path)
    with open_file(path) as file, refusing(path):
        settings = plain_settings(file)
        packages = {"nsgalpha": attribute(file, "nsgalpha"), **versions(file)}
        written = attribute(file, "written")
    model, stats, status = result.model, result.stats, result.status
    masses = np.array([body.mass for body in model.bodies])
    return {
        "file": {
            "path": str(path),
            "bytes": Path(path).stat().st_size,
            "written": written,
            "parts": parts,
            "damage": damage,
        },
        "status": {"ok": status.ok, "unfinished": status.unfinished, "message": status.message},
        "model": {
            "gravity": model.gravity.tolist(),
            "periodic": None if model.periodic is None else list(model.periodic),
            "bodies": len(model.bodies),
            "spheres": len(model.spheres),
            "mass": float(masses.sum()),
            "planes": len(model.planes),
            "primitives": len(model.primitives),
            "elements": [_named(model.labels.get(k), each) for k, each in enumerate(model.elements)],
            "joints": [joint_in_words(joint) for joint in model.joints],
            "drives": [joint_in_words(drive) for drive in model.drives],
            "loads": [described(load) for load in model.loads],
        },
        "scheme": scheme_of(settings),
        "time": {"start": float(result.t[0]), "end": float(result.t[-1]), "states": len(result.t)},
        "contacts": {"recorded": int(result.contacts.start[-1]), "statuses": statuses(result)},
        "statistics": {name: spread(getattr(stats, name)[:]) for name in stats.__dataclass_fields__},
        "packages": packages,
    }


def _cell(periodic: list[float | None] | None) -> str:
    """The periods, nothing without any."""
    return "" if periodic is None else f", periodic {periodic} m"


def _named(name: str | None, element: Any) -> str:
    """An element with its name, if it has one."""
    return described(element) if name is None else f"{name!r}: {described(element)}"


def described(thing: Any) -> str:
    """The class of an element or load, and of a compliant element its pairs."""
    name = type(thing).__name__
    return f"{name} ({type(thing.pairs).__name__})" if isinstance(thing, CompliantElement) else name


def joint_in_words(joint: Any) -> str:
    """The name of a joint, with its class unless the name says it."""
    kind, name = type(joint).__name__, getattr(joint, "name", "")
    return name if name.startswith(kind) else " ".join(filter(None, (kind, repr(name) if name else "")))


def scheme_of(settings: dict[str, Any]) -> dict[str, Any]:
    """Name and parameters of the scheme, step, tolerance, recording."""
    name, numbers = scheme_in_words(settings)
    kept = {key: settings[key] for key in ("h", "tol", "every", "contacts", "impacts", "accuracy")}
    return {"name": name, **numbers, **{key: value for key, value in kept.items() if value is not None}}


def statuses(result: Result) -> dict[str, int]:
    """How many recorded contacts have each status."""
    names, counts = np.unique(np.asarray(result.contacts.status), return_counts=True)
    return {str(name): int(count) for name, count in zip(names, counts, strict=True)}


def spread(values: Any) -> dict[str, float]:
    """Largest and mean value over the steps."""
    if len(values) == 0:
        return {"largest": 0.0, "mean": 0.0}
    return {"largest": float(values.max()), "mean": float(values.mean())}


def in_words(found: dict[str, Any]) -> list[tuple[str, str]]:
    """Lines of the facts for people."""
    model, scheme, time, stats = found["model"], found["scheme"], found["time"], found["statistics"]
    parameters = ", ".join(
        f"{key} = {value if isinstance(value, str) else format(value, 'g')}"
        for key, value in scheme.items()
        if key not in ("name", "contacts")
    )
    kinds = ", ".join(f"{count} {name}" for name, count in found["contacts"]["statuses"].items())
    iterations = ", ".join(
        f"{name} {stats[f'{name}_iterations']['largest']:.0f} / {stats[f'{name}_iterations']['mean']:.2f}"
        for name in ("smooth", "position", "velocity")
    )
    file = found["file"]
    residual = max(stats[f"{name}_residual"]["largest"] for name in ("position", "velocity"))
    damage = f"DAMAGED in {'; '.join(file['damage'])}" if file["damage"] else "their checksums are right"
    others = "".join(f"{counted(model[name], name)}, " for name in ("planes", "primitives") if model[name])
    return [
        ("file", f"{file['path']}, {file['bytes'] / 1e6:.2f} MB, written {file['written']}"),
        ("parts", f"{file['parts']}, {damage}"),
        ("status", found["status"]["message"]),
        (
            "model",
            f"{counted(model['bodies'], 'bodies')} ({counted(model['spheres'], 'spheres')}, "
            f"{model['mass']:.4g} kg), {others}gravity {model['gravity']} m/s^2{_cell(model['periodic'])}",
        ),
        ("elements", ", ".join(model["elements"]) or "none"),
        *([(name, ", ".join(model[name])) for name in ("joints", "drives") if model[name]]),
        ("loads", ", ".join(model["loads"]) or "none"),
        ("scheme", f"{scheme['name']}, {parameters}"),
        ("time", f"{time['start']:g} s to {time['end']:g} s, {time['states']} recorded states"),
        ("contacts", f"{found['contacts']['recorded']} recorded{': ' + kinds if kinds else ''}"),
        ("iterations", f"{iterations} (largest / mean)"),
        ("residual", f"{residual:.2g} at most"),
        ("penetration", f"{stats['penetration']['largest']:.2g} of the radius at most"),
        ("packages", ", ".join(f"{name} {version}" for name, version in found["packages"].items())),
    ]
