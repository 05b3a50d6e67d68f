"""The Streamlit app: `streamlit run viewer.py` in a checkout, `tracekit view` anywhere.

settings    what the command line says: the folder, the model
shelf       a folder's recordings and journals, and nothing outside of it
running     a live run in a thread of its own
player      the player as a Streamlit component: it animates in the browser
parts       what several pages show
charts      gaps between steps as curves and histograms
app         the five pages and how one gets to them
recordings, live, follow, comparing, timing    a page each

Without streamlit: settings, shelf, running.
"""
