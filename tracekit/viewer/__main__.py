"""What Streamlit runs."""

from tracekit.viewer.app import main

main()
