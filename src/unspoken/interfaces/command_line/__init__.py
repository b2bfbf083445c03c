"""The command line: results go to standard output, everything else to standard error."""
