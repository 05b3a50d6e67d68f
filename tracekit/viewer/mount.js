// Streamlit calls this with every new data; the player stays, and takes only what is new.
const players = new WeakMap();

function themeOf(element) {
  const page = getComputedStyle(element).getPropertyValue("--st-background-color");
  const parts = /^#(..)(..)(..)/.exec(page.trim())?.slice(1).map((part) => parseInt(part, 16)) ?? [255];
  return Math.max(...parts) < 128 ? "dark" : "light";
}

/** The step in the address bar, so that a link opens the recording where it stands now. */
function link(step) {
  const address = new URL(window.location.href);
  address.searchParams.set("step", step);
  window.history.replaceState(window.history.state, "", address);
}

function forget(host) {
  players.get(host)?.player.destroy();
  players.delete(host);
  host.replaceChildren();
}

function show(host, { linked, is_preview: isPreview, run, traces, ...options }) {
  const theme = themeOf(host);
  host.classList.toggle("preview", isPreview);
  const known = players.get(host);
  if (known?.run === run) {
    known.player.update(traces);
    known.player.set({ theme });
    return;
  }
  forget(host);
  const onEvent = ({ type, step }) => linked && type === "step" && link(step);
  players.set(host, { run, player: mount(host, { ...options, traces, theme, onEvent }) });
}

/** Streamlit never calls a component again that has thrown, so what cannot be shown is told in its place. */
export default function ({ data, parentElement }) {
  const host = parentElement.querySelector("[data-player]");
  try {
    show(host, JSON.parse(new TextDecoder().decode(data)));
  } catch (error) {
    forget(host);
    host.textContent = `The player cannot show this run: ${error.message}`;
  }
  return () => forget(host);
}
