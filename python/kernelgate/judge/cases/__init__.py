"""What the stage `check` does with a case: draws it, has it called, and looks at it more closely."""
