"""The options of a language model's run: the prompt, and how text is generated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from tracekit.errors import UnreadableDocument, UsageError
from tracekit.format.types import Json
from tracekit.storage.files import read_file

__all__ = ["TokenOptions", "token_options"]

_LARGEST_PROMPT = 16 << 20
_SETTINGS = ("max_new_tokens", "temperature", "top_p", "top_k", "stop", "alternatives")


@dataclass(frozen=True)
class TokenOptions:
    """What the command line says of a prompt and of generation. None or empty is: not said."""

    prompt: str | None
    chat: bool
    system: str | None
    max_new_tokens: int | None
    temperature: float | None
    top_p: float | None
    top_k: int | None
    stop: tuple[str, ...]
    alternatives: int | None
    dtype: str | None
    trust_remote_code: bool

    def request(self) -> Json | None:
        """The request they make, or None without --prompt.

        Raises UsageError for options that do not fit, and StorageError or UnreadableDocument
        for a file that cannot be read.
        """
        if self.prompt is None:
            if self.chat or self.system is not None:
                raise UsageError("--chat and --system need --prompt")
            return None
        if self.system is not None and not self.chat:
            raise UsageError("--system needs --chat")
        text = _text(self.prompt)
        if not self.chat:
            return {"prompt": text}
        system = [] if self.system is None else [{"role": "system", "content": self.system}]
        return {"messages": [*system, {"role": "user", "content": text}]}

    def settings(self) -> Json:
        """The settings that were said, under their names in a header."""
        said = {name: getattr(self, name) for name in _SETTINGS}
        said["stop"] = list(self.stop) or None
        return {name: value for name, value in said.items() if value is not None}


def token_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options; the function gets them as one argument, `token`, a `TokenOptions`."""

    @functools.wraps(function)
    def gathered(**values: Any) -> Any:
        token = TokenOptions(**{field.name: values.pop(field.name) for field in fields(TokenOptions)})
        return function(token=token, **values)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


_OPTIONS = (
    click.option("--prompt", metavar="TEXT|@FILE|-", help="The prompt; - reads standard input."),
    click.option("--chat", is_flag=True, help="Put the prompt through the model's chat template."),
    click.option("--system", metavar="TEXT", help="With --chat: the system message."),
    click.option("--max-new-tokens", type=int, help="The most tokens to generate.  [default: 128]"),
    click.option("--temperature", type=float, help="Sampling temperature; 0, the default, is greedy."),
    click.option("--top-p", type=float, help="Sample within this probability mass.  [default: 1]"),
    click.option("--top-k", type=int, help="Sample among this many tokens; 0, the default, is all."),
    click.option("--stop", multiple=True, metavar="STRING", help="Text that ends the text; repeatable."),
    click.option("--alternatives", type=int, help="Candidates a row lists.  [default: 5]"),
    click.option("--dtype", metavar="NAME", help="float32, bfloat16, …  [default: the checkpoint's]"),
    click.option("--trust-remote-code", is_flag=True, help="Run code that comes with the model."),
)


def _text(prompt: str) -> str:
    """The prompt, or a file's text without one final line break, as a shell would give it."""
    if prompt != "-" and not prompt.startswith("@"):
        return prompt
    file = prompt.removeprefix("@")
    try:
        return read_file(file, _LARGEST_PROMPT).decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise UnreadableDocument(file, f"is not UTF-8 text: byte {error.start} cannot be read") from error
