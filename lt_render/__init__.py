"""Renders journals of lowering traces, on any machine, without TVM."""

from __future__ import annotations
