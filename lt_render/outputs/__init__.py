"""The outputs: each a function of the model of a trace, in a module of its own."""
