"""Sends characters to Portamento and fetches takes as actions."""

from . import panel


def register():
    panel.register()


def unregister():
    panel.unregister()
