// Inflates the player and runs it. The page's policy names its hash, so nothing else can run in its place.
const packed = Uint8Array.from(atob(document.getElementById("player").textContent), (one) => one.charCodeAt(0));
const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
const player = document.createElement("script");
player.type = "module";
player.textContent = await new Response(inflated).text();
document.body.append(player);
