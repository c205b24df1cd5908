"""Run a task with many arguments: in processes of this machine, or on a cluster.

A task is a plain function, shard file in, part file out. What runs it is an engine, and all engines give the
same results: `webgrain.run.local.Local`, and `webgrain.run.ray.Ray` with the extra ``ray``.
"""
