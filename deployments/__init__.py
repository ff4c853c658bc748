"""How it runs: which deployments there are, how they come into a Prefect server, and a hardened one of our own.

`prefect.yaml` and `automations.yaml` say what there is; `objects` fills them in, `apply` and `remove` bring a server to
it and back, `serve` starts a server and a worker on this machine.
"""
