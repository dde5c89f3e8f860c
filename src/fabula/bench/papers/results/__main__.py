"""``python -m fabula.bench.papers.results docs/results.md`` writes the page; ``--check`` says
whether it is up to date."""

from __future__ import annotations

import sys

from fabula.bench.papers.results import results_page
from fabula.core.files import write_page

if __name__ == "__main__":
    raise SystemExit(write_page(sys.argv[1:], results_page(), "what was measured"))
