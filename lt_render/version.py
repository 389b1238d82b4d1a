"""The renderer's version: that of the distribution both packages come in."""

from lt_record import __version__

GENERATOR = f"lower-trace {__version__}"
