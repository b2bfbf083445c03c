"""Attacks: every bound that is claimed beside what an attacker really gets."""

from unspoken.workflows.audit.released_file import AuditedFile, audit_file
from unspoken.workflows.audit.releases import Attacked, Audited, audit

__all__ = ["Attacked", "Audited", "AuditedFile", "audit", "audit_file"]
