# Licensed under the Apache License, Version 2.0.
"""Writes the published JSON schemas: ``python docs/schema.py``. A test keeps them in step with the code."""

from __future__ import annotations

import json
from pathlib import Path

from skcore.frontends.graph_model import graph_schema
from skcore.target import target_schema

FOLDER = Path(__file__).parent


def schemas() -> dict[str, str]:
    """File name to text of each schema."""
    made = {"graph-file.schema.json": graph_schema(), "target.schema.json": target_schema()}
    return {name: json.dumps(schema, indent=2) + "\n" for name, schema in made.items()}


if __name__ == "__main__":
    for name, text in schemas().items():
        (FOLDER / name).write_text(text)
