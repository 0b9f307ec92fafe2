"""What processes send each other: plain data, checked for type and size when it is decoded.

Every process imports this package, and it imports none of theirs, and no torch.
"""
