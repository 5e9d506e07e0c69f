"""TiMBL's own command: its options, its files, its printed statistics, on casebase's learners.

`options` reads the command line, `reading` the data files; `memory` prepares what is to be learned, `learning` learns,
`asking` and `answering` test. `results`, `listing`, `statistics` and `progress` say what came out as TiMBL says it;
`names_file` and `instance_base` are its other files. `program.run` puts them together.
"""
