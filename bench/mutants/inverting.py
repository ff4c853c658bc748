"""Rules turned round, one at a time: conditions, comparisons, "and" and "or", minima, "any" and "all".

No file is written: an imported module gets the code of the one that is otherwise.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
}
_NEIGHBOUR: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
_TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One rule turned round: where, in which function, and how it reads before and after."""

    number: int
    line: int
    function: str
    was: str
    becomes: str

    @property
    def rule(self) -> str:
        """What it is known by while lines move: function, before and after."""
        return f"{self.function}: {self.was} → {self.becomes}"


def mutants(source: str) -> list[Mutant]:
    """Every rule of the source that can be turned round, in the order of the source."""
    tree = ast.parse(source)
    return [
        Mutant(number, node.lineno, function, ast.unparse(node), ast.unparse(other))
        for number, (function, node, other) in enumerate(_places(tree))
    ]


def inverted(source: str, number: int) -> ast.Module:
    """The module with that rule turned round."""
    tree = ast.parse(source)
    _, node, other = list(_places(tree))[number]
    return ast.fix_missing_locations(_Put(node, other).visit(tree))


class _Put(ast.NodeTransformer):
    def __init__(self, node: ast.expr, other: ast.expr) -> None:
        self._node, self._other = node, other

    def visit(self, node: ast.AST) -> ast.AST:
        return ast.copy_location(self._other, node) if node is self._node else self.generic_visit(node)


def _places(tree: ast.Module) -> Iterator[tuple[str, ast.expr, ast.expr]]:
    """(function, expression, what it becomes), each expression once for each way in which it can be turned round."""
    names: dict[ast.AST, str] = {}
    conditions: set[ast.expr] = set()
    for parent in ast.walk(tree):
        own = names.get(parent, "")
        if isinstance(parent, (ast.FunctionDef, ast.ClassDef)):
            own = f"{own}.{parent.name}".lstrip(".")
        if isinstance(parent, ast.Assert):
            continue  # it says what is true anyway
        for child in ast.iter_child_nodes(parent):
            names[child] = own
        if isinstance(parent, (ast.If, ast.IfExp)):
            conditions.add(parent.test)
        elif isinstance(parent, ast.comprehension):
            conditions.update(parent.ifs)
        elif isinstance(parent, ast.BoolOp) and parent in conditions:
            conditions.update(parent.values)
    nodes = [n for n in names if isinstance(n, ast.expr)]
    # a rule is in a function: what a module holds outside of them is a table
    nodes = [n for n in nodes if names[n]]
    for node in sorted(nodes, key=lambda n: (n.lineno, n.col_offset, -(n.end_col_offset or 0))):
        for other in _others(node, node in conditions):
            yield names[node], node, other


def _others(node: ast.expr, condition: bool) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for ways in (_OPPOSITE, _NEIGHBOUR):
            if type(node.ops[0]) in ways:
                yield _with(node, lambda n, ways=ways: setattr(n, "ops", [ways[type(n.ops[0])]()]))
    elif isinstance(node, ast.BoolOp):
        swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield _with(node, lambda n: setattr(n, "op", swapped))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _TWINS:
        twin = _TWINS[node.func.id]
        yield _with(node, lambda n: setattr(n.func, "id", twin))
    elif condition:
        yield ast.UnaryOp(ast.Not(), copy.deepcopy(node))


def _with(node: ast.expr, change: Callable[[ast.expr], None]) -> ast.expr:
    made = copy.deepcopy(node)
    change(made)
    return made


def install(module: ModuleType, number: int) -> None:
    """The imported module works with that rule turned round from now on: the code of its functions is another."""
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    made = compile(inverted(source, number), str(module.__file__), "exec")
    codes = dict(_codes(made))
    for function in _functions(module):
        function.__code__ = codes[function.__qualname__]


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for held in code.co_consts:
        if isinstance(held, CodeType):
            yield held.co_qualname, held
            yield from _codes(held)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions that the module's own text defines, methods and properties among them."""
    held = [one for one in vars(module).values() if getattr(one, "__module__", None) == module.__name__]
    for one in [*held, *(own for cls in held if isinstance(cls, type) for own in vars(cls).values())]:
        inner = getattr(one, "fget", None) or getattr(one, "func", None) or getattr(one, "__func__", None) or one
        inner = inspect.unwrap(inner) if callable(inner) else inner
        if isinstance(inner, FunctionType) and inner.__code__.co_filename == module.__file__:
            yield inner
