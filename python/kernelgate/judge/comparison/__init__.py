"""Whether results are right: values, other effects of a call, and how much a comparison can see."""
