"""The viewer, in a checkout: `streamlit run viewer.py`, or `streamlit run viewer.py -- FOLDER`."""

from tracekit.viewer.app import main

main()
