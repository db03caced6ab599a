"""The functions of the registry, by name: catena._functions has their types."""

from catena._functions import *  # noqa: F403
