"""Tests on a real Prefect server: hardened, on a free loopback port, in a home of its own."""
