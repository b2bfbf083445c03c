"""Where a ledger is, before anything is asked of it."""

from __future__ import annotations

import pytest

from unspoken.core.errors import InputError
from unspoken.storage.ledger import Ledger, postgresql


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "find_spec", lambda _: None)
    said = r'ledger postgresql\+psycopg://u:\*\*\*@h/d: .*pip install "unspoken\[postgres\]"'
    with pytest.raises(InputError, match=said):
        Ledger("postgresql://u:geheim@h/d?password=geheim")


def test_what_is_no_address_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is no address of a database") as refusal:
        Ledger("postgresql://u:geheim@h:port/d")
    assert "geheim" not in str(refusal.value)
