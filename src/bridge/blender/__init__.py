"""Sends characters to Portamento and fetches takes as actions."""

from . import panel, translations


def register():
    translations.register()
    panel.register()


def unregister():
    panel.unregister()
    translations.unregister()
