"""What goes on around a run: its clock, the live report, turns on a GPU. It knows no other room of the judge."""
