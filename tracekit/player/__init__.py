"""The player, and a recording in other tools' formats.

player.js, player.css   the player: one ES module and its stylesheet; its API stands at its top
page.html, loader.js    the page around it in an export
html                    one or two recordings as one HTML file
tables                  rows as CSV and JSON Lines
perfetto                a timeline for Perfetto and chrome://tracing
picture                 a still picture of the whole run
"""
