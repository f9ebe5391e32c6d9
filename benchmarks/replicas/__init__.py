"""Communication and throughput of replicas."""
