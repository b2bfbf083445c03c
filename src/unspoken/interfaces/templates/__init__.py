"""The pages as Jinja templates: report, dashboard, attacks."""
