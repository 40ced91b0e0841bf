# Licensed under the Apache License, Version 2.0.
"""The schemas in docs/ are those of the code."""

import runpy

import pytest

from tests.shared_data import ROOT

SCHEMAS: dict[str, str] = runpy.run_path(str(ROOT / "docs" / "schema.py"))["schemas"]()


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_published_schema_is_the_one_of_the_code(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == SCHEMAS[name]
