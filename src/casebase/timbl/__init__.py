"""TiMBL's command line on casebase's methods: its options, its files, its printed statistics.

`options` parses the command line and `option_rules` checks it, `data_files` reads the data; `memory` prepares the
training data, `models` fits, `queries` and `outcomes` test. `results`, `neighbour_lists`, `statistics` and `progress`
print in TiMBL's notation; `names_file` and `instance_base` are its other files. `program.run` puts them together.
"""
