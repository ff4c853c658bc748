"""What Prefect knows: retries, artifacts, names. Each task adds something of Prefect's to one call of the library.

Only paths, plan ids and counts are parameters and results; everything else is read from the ledger.
"""
