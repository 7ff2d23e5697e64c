"""Linter for docstrings, comments, error messages and pages; `make lint` runs it, prose.toml has the rules.

    python .ci/prose.py [--count] [PATH ...]

A finding is one line: file:line, the rule, the sentence. Code, tables, equations and addresses are not read.
Files that prose.toml lists as exceptions may have findings. A file without findings must leave that list.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

RULES = tomllib.loads((Path(__file__).parent / "prose.toml").read_text())
VOCABULARY = {re.compile(rf"\b(?:{word})\b", re.I): better for word, better in RULES["vocabulary"].items()}
HEADLESS, CLAUSE, AMERICAN = (re.compile(RULES[key]) for key in ("headless", "clause", "american"))

CODE = r"``.+?``|`[^`]+`(?:\{\w+\})?"
SYMBOLS = r"\$[^$]+\$|<[^<> ]+>|https?://\S+|\[[^\] ]*\](?!\()|\((?=[^a-z]*\))[^)]*\)"
NOT_READ = re.compile(f"{CODE}|{SYMBOLS}")
STOP = r"(?:(?<=[.!?])|(?<=[.!?][\"')*])|(?<=[.!?][\"')*]{2}))\s+(?=[\"'(*\[]*[A-Z0-9@*])"
NEXT_ENTRY = r"(?<=[;.])\s+(?=[^;:.]{1,60}: )"  # of a list of arguments
END = re.compile(f"{STOP}|{NEXT_ENTRY}")
SHORT = re.compile(
    r"\b(?:e\.g|i\.e|eqs?|[Ff]igs?|vol|pp?|ch|sec|Nos?|cf|et al)\.(?= )"
    r"|\b[A-Z]\.(?= [A-Z]\.| [A-Z][a-z]+(?:,| and))"
)
ENTRY = re.compile(r"(?:[*\-|] |\d+\. |[`\w*]+(?:, [`\w*]+)*: |Raises )")
Line = tuple[int, str]  # its number, and the text


def words(sentence: str) -> int:
    """Number of words, without symbols and code."""
    return len(re.findall(r"\b(?:[A-Za-z][a-z]+(?:['-][a-z]+)*|a|A|I)\b(?!\()", sentence))


def paragraphs(lines: list[Line], indent: int = 0) -> Iterator[list[Line]]:
    """Paragraphs and entries of lists; lines deeper than `indent` are code or equations."""
    found: list[Line] = []
    example = code = False
    for number, line in lines:
        text = line.strip()
        example = text.startswith(">>>") or (example and bool(text))
        skipped = not text or example or re.match(r"\||\$\$|:::|#+ |>|.*\S {3,}\S", text)
        deep = len(line) - len(line.lstrip()) >= indent + 4
        code = deep and bool(text) and (code or not found or found[-1][1].endswith(":"))
        if found and (skipped or code or (ENTRY.match(text) and found[-1][1][-1] in ".;:?!)")):
            yield found
            found = []
        if not skipped and not code:
            found.append((number, text))
    if found:
        yield found


def sentences(block: list[Line]) -> Iterator[tuple[int, str, str]]:
    """First line of each sentence, its text, and that with `@` for code and symbols."""
    text = " ".join(each for _, each in block)
    lines = [number for number, each in block for _ in range(len(each) + 1)]
    plain = re.sub(r"\]\([^)]*\)", lambda found: "]" + "@" * (len(found[0]) - 1), text)
    plain = NOT_READ.sub(lambda found: "@" * len(found[0]), plain)
    plain = SHORT.sub(lambda found: found[0][:-1] + "@", plain)
    start = 0
    for end, following in [*(found.span() for found in END.finditer(plain)), (len(plain), 0)]:
        yield lines[start], text[start:end], plain[start:end]
        start = following


def of_page(source: str) -> Iterator[list[Line]]:
    """Paragraphs of a Markdown page."""
    blocks = re.compile(r"^(`{3,}|:{3,}).*?^\1|^\$\$.*?\$\$|\A---.*?^---", re.M | re.S)
    text = blocks.sub(lambda found: "\n" * found[0].count("\n"), source)
    yield from paragraphs(list(enumerate(text.splitlines(), start=1)))


def messages(node: ast.AST) -> Iterator[Line]:
    """Texts of an expression that is raised, with `@` for formatted values."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
        yield node.lineno, node.value
    elif isinstance(node, ast.JoinedStr):
        yield (
            node.lineno,
            "".join(str(v.value) if isinstance(v, ast.Constant) else "`@`" for v in node.values),
        )
    else:
        for child in ast.iter_child_nodes(node):
            yield from messages(child)


def of_module(source: str) -> Iterator[tuple[str, list[Line]]]:
    """Docstrings, error messages and comments of a module, each with its kind."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            text = node.body[0].value  # type: ignore[attr-defined]
            lines = list(enumerate(text.value.splitlines(), start=text.lineno))
            indent = 0 if isinstance(node, ast.Module) else text.col_offset
            first, *rest = [*paragraphs([(lines[0][0], " " * indent + lines[0][1]), *lines[1:]], indent), []]
            yield "docstring", first or lines[:1]
            yield from (("text", each) for each in rest if each)
        elif isinstance(node, ast.Raise):
            yield from (("message", [each]) for each in messages(node))
    comments: list[Line] = []
    block = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or re.match(r"#( ?(noqa|type:|fmt:)|!)", token.string):
            continue
        number, alone = token.start[0], token.line.strip().startswith("#")
        if comments and not (block and alone and comments[-1][0] == number - 1):
            yield from (("text", each) for each in paragraphs(comments))
            comments = []
        block = alone
        comments.append((number, token.string.lstrip("#:").strip()))
    yield from (("text", each) for each in paragraphs(comments))


def broken(kind: str, sentence: str, first: bool) -> Iterator[str]:
    """The rules that a sentence breaks."""
    count, most = words(sentence), RULES["summary" if kind == "docstring" and first else "sentence"]
    if count > most:
        yield f"{count} words, at most {most}"
    question = sentence.rstrip("\"'*)").endswith("?")
    if not question and (HEADLESS.match(sentence.lstrip("\"'(*")) or CLAUSE.search(sentence)):
        yield "relative clause without its noun"
    yield from (
        f"'{found[0]}': {say}" for rule, say in VOCABULARY.items() if (found := rule.search(sentence))
    )
    if found := AMERICAN.search(sentence):
        yield f"'{found[0]}': British spelling"


def findings(path: Path) -> Iterator[str]:
    """One line for each broken rule."""
    source = path.read_text()
    texts = of_module(source) if path.suffix == ".py" else (("text", each) for each in of_page(source))
    for kind, block in texts:
        for k, (line, sentence, plain) in enumerate(sentences(block)):
            yield from (f"{path}:{line}: {rule}: {sentence}" for rule in broken(kind, plain, k == 0))


def main(arguments: list[str]) -> int:
    """Exit code 1 for a finding outside of the exceptions, or an unnecessary exception."""
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md"], capture_output=True, text=True, check=True
    ).stdout
    asked = [each for each in arguments if not each.startswith("--")]
    paths = [each for each in listed.split() if not asked or each.startswith(tuple(asked))]
    found = {path: list(findings(Path(path))) for path in paths if path not in RULES["not_read"]}
    if "--count" in arguments:
        folders: Counter[str] = Counter()
        for path, lines in found.items():
            folders["/".join(path.split("/")[:-1][:2]) or "."] += len(lines)
        print("\n".join(f"{count:6} {folder}" for folder, count in sorted(folders.items())))
        return 0
    exceptions = [] if asked else RULES["exceptions"]
    lines = [line for path in found if path not in exceptions for line in found[path]]
    lines += [f".ci/prose.toml: {path} has no finding" for path in exceptions if not found.get(path)]
    print("\n".join(lines), end="\n" if lines else "")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
