"""How Sphinx builds the site: ``make docs``. Nothing on it comes from outside."""

from __future__ import annotations

import inspect
import os
import re
from pathlib import Path
from typing import Any

import fabula

# Importing every module for the reference must neither report usage nor take both cores.
os.environ.update(DAFT_ANALYTICS_ENABLED="0", DO_NOT_TRACK="1", OMP_NUM_THREADS="1")

project = "fabula"
author = "The fabula maintainers"
copyright = "2026, The fabula maintainers"
release = version = fabula.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
highlight_language = "none"  # a fence without a language is plain text
nitpicky = False  # types of numpy and others have no page here to link to

myst_heading_anchors = 4  # [a link](page.md#its-heading) works here and on any forge

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 88

html_theme = "furo"
html_title = f"fabula {version}"
html_static_path = ["_static"]
html_css_files = ["fabula.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
pygments_style = "tango"
pygments_dark_style = "monokai"
html_theme_options = {
    "top_of_page_buttons": [],  # "edit" and "view source" would lead outside
    "footer_icons": [],
}


def link_cards(app: Any, page: str, source: list[str]) -> None:
    """Link to the heading on the site; in the repository a card is a file next to its weights."""

    def heading(link: re.Match[str]) -> str:
        card = Path(__file__).parent / "reference" / link[1]
        title = card.read_text(encoding="utf-8").partition("\n")[0]
        return "](#" + re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") + ")"

    if page == "reference/cards":
        source[0] = re.sub(r"\]\((\.\./\.\./src/[^)]+/README\.md)\)", heading, source[0])


def tidy_signature(app: Any, what: str, name: str, thing: Any, options: Any, signature: str | None,
                   returns: str | None) -> tuple[str | None, str | None]:  # fmt: skip
    """A dataclass's default factory is no Python expression; dots are."""
    return signature and signature.replace("<factory>", "..."), returns


def keep_methods(
    app: Any, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """A protocol's method says all in its types: it is shown without a docstring, too."""
    shown = what == "class" and inspect.isfunction(thing) and not name.startswith("_")
    return False if shown else None


def setup(app: Any) -> None:
    app.connect("source-read", link_cards)
    app.connect("autodoc-process-signature", tidy_signature)
    app.connect("autodoc-skip-member", keep_methods)
