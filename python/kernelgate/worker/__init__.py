"""The untrusted process. A candidate is loaded and called here, so nothing that leaves this process is believed.

**Invariant:** imports nothing of `judge`; no expected value enters. The one exception is `worker.replay`, whose answer
nobody reads.
"""
