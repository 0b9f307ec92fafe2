"""How a run ends before its time: the exceptions, and what a report says of them."""
