"""Every document of every product in cases that are hard to print, for people to look at before a release."""
