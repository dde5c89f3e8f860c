"""Write the project's links into pyproject.toml, before a release is built.

    python tools/project_links.py https://HOST/OWNER/REPOSITORY

Where the project is hosted is known to whoever releases it, and to the release workflow, not to the
source: a clone of a clone must not point to a place that is not its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlparse

ROOT = Path(__file__).parents[1]
PAGES = {
    "Source": "",
    "Documentation": "/tree/HEAD/docs",
    "Changelog": "/blob/HEAD/CHANGELOG.md",
    "Issues": "/issues",
}


def with_links(text: str, address: str) -> str:
    """A pyproject.toml with ``[project.urls]`` of the repository at ``address``."""
    parts = urlparse(address)
    if parts.scheme != "https" or not parts.netloc or any(c in address for c in '"\\\n '):
        raise SystemExit(f"{address!r} is no https address of a repository")
    if "[project.urls]" in text:
        raise SystemExit("pyproject.toml has its links already")
    links = "".join(f'{name} = "{address.rstrip("/")}{page}"\n' for name, page in PAGES.items())
    return text.replace("[project.scripts]", f"[project.urls]\n{links}\n[project.scripts]", 1)


def main() -> int:
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    path = ROOT / "pyproject.toml"
    path.write_text(with_links(path.read_text(encoding="utf-8"), sys.argv[1]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
