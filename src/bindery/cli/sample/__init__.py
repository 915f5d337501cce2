"""Invented companies for a demo: who they are, what becomes of them, and how that is played."""
