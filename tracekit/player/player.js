/* tracekit's player: one ES module, no dependency, no network, no global.
 *
 *   import { mount } from "./player.js";              // its stylesheet is player.css
 *   const player = mount(element, { traces: [trace] });
 *
 * mount(element, options) draws a player into `element`, which may lie in a shadow root that
 * holds player.css; everything lies under one element of the class `tk`. Options:
 *   traces     one or two trace documents (schema version 2, parsed JSON); two play side by side
 *   following  true: show the newest row as rows arrive (a live run); default: status is "streaming"
 *   step       show this many rows at first;  time   or: the moment `time` (recorded seconds)
 *   speed      1 is as recorded; default 1, or slow motion for a run too short to see
 *   theme      "auto" (as the system has it), "light" or "dark"
 *   labels     a name a trace, shown in place of the model's
 *   keys       what to listen for keys on; default the player's own element
 *   onSave     (lane) => void: there, the player has a button "Save JSON" a trace
 *   onEvent    (event) => void, with event.type one of
 *                "step"  {step, time}: the player rests at another step (paused, stepped, sought, ended)
 *                "play", "pause", "end", "speed" {speed}, "following" {following}
 *
 * It returns a handle:
 *   update(traces)              whole documents again. The same run (equal id) that has grown keeps its
 *                               place and takes only the new rows, so calling it with every snapshot is cheap
 *   append(rows, tail?, lane=0) rows that have arrived; `tail` ({status, summary?, error?,
 *                               inference_seconds?}) once the run has ended
 *   seek({step}) or seek({time}), play(), pause()
 *   set({speed, rowsPerSecond, maxPause, loop, sync, following, theme})   any of these; null clears
 *   state()    {step, steps, time, duration, playing, following, speed, …}
 *   timing()   {count, median, p99}: measured milliseconds between a row's time and its frame
 *   destroy()  stop, remove the elements and every listener
 */
export function mount(element, options) { throw new Error("under construction"); }
