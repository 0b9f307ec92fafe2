"""What processes say to each other: plain data, checked for type and size when it is decoded.

Below all who talk. Importing it imports no torch.
"""
