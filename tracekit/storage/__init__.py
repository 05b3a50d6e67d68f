"""The only way to and from disk.

files      the system's calls, with its reasons in our words; atomic writes
journal    the append-only file a recording grows in until it is complete
store      recordings: load, save, outline, find
recovery   a journal whose process died becomes the recording it was to be
"""
