"""What the extension module copies objects of users with."""

from copy import copy as shallow_copy

__all__ = ["shallow_copy"]
