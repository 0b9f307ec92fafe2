"""Starting, watching and ending processes: the fork server, and a handle to a worker. Knows no stage of a run."""
