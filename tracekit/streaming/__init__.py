"""From a model to rows, and from a recording to the same rows again.

source         what is observed: one method, `observe`
run            one run: a worker thread, a bounded queue, rows on the consumer's side
cancellation   how a run is stopped from outside
exclusion      runs of one model wait in line
header         what stands before a run's rows
summary        what a complete run comes to
stream         a live run as snapshots
recorder       a live run into a recording
batch          many requests, a recording each
replay         a recording as the snapshots its live run gave, at their times
pacing         when each row is due
playhead       where a replay stands
"""
