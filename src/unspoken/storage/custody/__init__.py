"""What a project keeps: its key and ledger, what was counted, and what records first were."""
