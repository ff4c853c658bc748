"""Whether the tests would notice a rule of policy or planning turned round: each one inverted must make a test fail.

- `inverting`: a module's source with one rule turned round, and a pytest plugin that lets it be imported so.
- `targets`: which modules, and the tests that are to notice.
- `survivors`: what no test notices, each with the reason why it may be so.
"""
