"""The crash proof: the executor as shipped is killed again and again, and an oracle explains every row change.

`python -m tests.crash --kills 1000 --seed 1` runs it. The parts:

- `table`: a table of our own schema with indexes, and what its rows hold;
- `worker`: a process that recovers, repairs and rolls back with the shipped functions;
- `foreign`: a process with plain LanceDB that knows nothing of us and writes to the same table;
- `campaign`: rounds of kills, judged after each death;
- `applying`: whole runs of `apply` killed, each followed by one that must verify and record all that is in place;
- `oracle`: every version of the table explained by one receipt or one acknowledged foreign write;
- `mutants`: executors with one function replaced by a wrong one, which the oracle must refute.
"""
