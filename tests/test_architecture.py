"""The rooms of DESIGN: which file may import which, and what a bare `import tracekit` may cost."""

from __future__ import annotations

import ast
import graphlib
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tracekit

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "tracekit"

# Every room's number. Two rooms of one number know nothing of each other.
ROOMS = {
    "ground": 0,
    "format": 1,
    "storage": 2,
    "streaming": 3,
    "player": 4,
    "sources": 4,
    "regression": 5,
    "faces": 6,
    "viewer": 7,
}
# What is no folder of its own name.
ROOM_OF = {
    "errors": "ground",
    "terminal": "ground",
    "cli": "faces",
    "pytest_plugin": "faces",
    "__main__": "faces",
}
HEAVY = {"torch", "transformers", "streamlit", "pytest", "numpy", "rich", "jsonschema"}


def module_of(path: Path) -> str:
    """`tracekit/format/codec.py` is `tracekit.format.codec`; a package is its `__init__.py`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(module: str) -> str:
    name = module.split(".")[1]
    return ROOM_OF.get(name, name)


def imports_of(module: str) -> set[str]:
    """Every module of ours that a file imports anywhere: for types only and inside functions, too."""
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    return {found for node in ast.walk(tree) for found in imported(node)}


def imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "tracekit")
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute, so that they can be read without knowing where one is"
        if node.module and node.module.split(".")[0] == "tracekit":
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module


def test_every_file_is_in_a_room() -> None:
    rooms = {room_of(module) for module in FILES if module != "tracekit"}

    assert rooms == set(ROOMS)


@pytest.mark.parametrize("module", [module for module in FILES if module != "tracekit"])
def test_a_file_imports_only_from_its_own_room_and_lower_ones(module: str) -> None:
    here = room_of(module)
    # The front door knows every room, so it is above them all.
    upwards = {
        found
        for found in imports_of(module)
        if found == "tracekit" or (room_of(found) != here and ROOMS[room_of(found)] >= ROOMS[here])
    }

    assert upwards == set()


@pytest.mark.parametrize("room", ROOMS)
def test_no_circle_of_imports_inside_a_room(room: str) -> None:
    modules = {module for module in FILES if module != "tracekit" and room_of(module) == room}
    graph = {module: imports_of(module) & modules - {module} for module in modules}

    order = list(graphlib.TopologicalSorter(graph).static_order())

    assert set(order) == modules


def test_every_import_is_of_a_file_that_is_there() -> None:
    missing = {found for module in FILES for found in imports_of(module)} - set(FILES)

    assert missing == set()


def test_the_names_of_the_front_door_are_sorted_and_resolve() -> None:
    homes = vars(tracekit)["_HOMES"]

    assert list(homes) == sorted(homes)
    assert tracekit.__all__ == sorted(homes) == dir(tracekit)
    for name, home in homes.items():
        module = importlib.import_module(f"tracekit.{home}")
        assert getattr(tracekit, name) is getattr(module, name)


def test_the_front_door_tells_mypy_the_same_names() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    typed = {
        alias.asname: f"{node.module}".removeprefix("tracekit.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("tracekit.")
        for alias in node.names
    }

    assert typed == vars(tracekit)["_HOMES"]


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'tracekit' has no attribute 'load_all'"):
        tracekit.load_all  # noqa: B018


@pytest.mark.parametrize("module", FILES)
def test_the_names_a_module_exports_are_sorted(module: str) -> None:
    tree = ast.parse(FILES[module].read_text(encoding="utf-8"))
    exported = [
        [ast.literal_eval(item) for item in node.value.elts]
        for node in tree.body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "__all__"
        and isinstance(node.value, ast.List | ast.Tuple)
    ]

    assert exported == [sorted(names, key=as_ruff_sorts) for names in exported]


def as_ruff_sorts(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then the rest."""
    return not name.isupper(), not name[0].isupper(), name


@pytest.mark.parametrize(
    "arguments", [["-c", "import tracekit"], ["-m", "tracekit", "--help"]], ids=["import", "help"]
)
def test_nothing_heavy_is_imported_before_it_is_needed(arguments: list[str]) -> None:
    # -X importtime names on stderr every module that is really imported, whoever asks for it.
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
    )

    imported = {line.rpartition("|")[2].strip().split(".")[0] for line in ended.stderr.splitlines()}
    assert "tracekit" in imported
    assert imported & HEAVY == set()


def test_reading_a_recording_imports_nothing_heavy() -> None:
    script = "import json, sys, tracekit; tracekit.load(sys.argv[1]); print(json.dumps(sorted(sys.modules)))"
    ended = subprocess.run(
        [sys.executable, "-c", script, str(ROOT / "recordings/pointer-short.json")],
        capture_output=True,
        text=True,
        check=True,
    )

    assert HEAVY & set(json.loads(ended.stdout)) == set()
