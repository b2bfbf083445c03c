"""Command line, HTTP service, report and dashboard; they show results and compute nothing.

`command_line` has one function for each command (`commands`); `wording` has the sentences and
tables that people read, `templates` the pages; `report`, `dashboard` and `attacks` make pages of
them; `case.py` answers case files; `service` is the curator over HTTP and `client.py` its other
end; `frames.py` and `images.py` make data frames and drawn pictures of results.

May import: core, noise, planning, tables, storage, assessment, workflows.

Start reading: `command_line/cli.py` for a command, `wording/results.py` for what it says.
"""
