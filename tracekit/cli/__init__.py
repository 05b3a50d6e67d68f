"""The command line: thin faces over the rooms below. Each command is a file of its name.

`main` has the table of commands and turns errors into exit codes; `views`, `live` and
`text` say what a run looks like; `requests` and `token_options` make a request of options.
"""
