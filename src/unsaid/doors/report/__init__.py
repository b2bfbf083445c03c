"""The report: one page for those who share data and those it is about; its pictures as files."""

from unsaid.doors.report.charts import png, svg
from unsaid.doors.report.page import write

__all__ = ["png", "svg", "write"]
