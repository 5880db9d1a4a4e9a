// The page: cards as elements that move from place to place, and the controls that step.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const [stage, words, slider, speed, choice, playing] =
  ["stage", "words", "slider", "speed", "layout", "play"].map(byId);
const sentences = [...byId("list").children];
const last = data.steps.length - 1;
const PAUSE = 1300; // milliseconds a step at normal speed

let index = 0, layout = null, timer = null;

const box = document.createElement("div");
box.id = "table";
stage.append(box);
document.body.insertAdjacentHTML("beforeend", DEFINITIONS);
const cards = data.cards.map((card) => {
  const element = document.createElement("div");
  element.className = "card";
  element.innerHTML = `<div class="faces">${front(card)}${BACK}</div>`;
  box.append(element);
  return element;
});

// Elements that are not cards: made when first drawn, then moved, and hidden where not drawn.
const others = new Map();
function other(key, className) {
  if (!others.has(key)) {
    const element = document.createElement("div");
    element.innerHTML = HAND[key] || "";
    box.append(element);
    others.set(key, element);
  }
  const element = others.get(key);
  element.className = className;
  element.hidden = false;
  return element;
}

function put(element, x, y, z) {
  element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  element.style.zIndex = z;
}

function draw() {
  const state = data.steps[index];
  const { places, captions, shapes } = layout.lay(state);
  const going = new Set(state.going);
  for (const { card, x, y, z, down, lift } of places) {
    const lit = going.has(card);
    cards[card].classList.toggle("down", Boolean(down));
    cards[card].classList.toggle("lit", lit);
    put(cards[card], x + (lit ? lift[0] : 0), y + (lit ? lift[1] : 0), z);
  }
  for (const element of others.values()) element.hidden = true;
  for (const shape of shapes) {
    const element = other(shape.key, `shape ${shape.kind}${shape.faint ? " faint" : ""}`);
    element.style.width = `${shape.width}px`;
    element.style.height = `${shape.height}px`;
    put(element, shape.x, shape.y, shape.z || 0);
  }
  captions.forEach((caption, number) => {
    const element = other(`caption${number}`, `caption${caption.center ? " center" : ""}`);
    element.textContent = caption.text;
    put(element, caption.x, caption.y, 1);
  });
  stage.setAttribute("aria-label", described(state));
}

function described(state) {
  const names = (pile) => pile.map((card) => data.cards[card].name).join(", ");
  const piles = state.piles.map((pile, number) => {
    const label = state.piles.length > 1 ? `Pile ${number + 1}` : data.wrap ? "The loop" : "The line";
    return `${label}: ${names(pile) || "empty"}.`;
  });
  return `${piles.join(" ")} Stock: ${state.stock.length}.`;
}

// The width that there is for the table, inside the padding.
const room = () => stage.clientWidth - 16;

// Lay everything out anew, without motion: at the start, and when the page's width changes.
function arrange() {
  stage.classList.add("still");
  layout = layoutFor(data, choice.value, room());
  box.style.setProperty("--w", `${layout.w}px`);
  box.style.width = `${layout.width}px`;
  box.style.height = `${layout.height}px`;
  stage.classList.toggle("scrolls", layout.width > room());
  draw();
  void stage.offsetWidth; // places take effect before motion is allowed again
  stage.classList.remove("still");
}

function show(step) {
  sentences[index].removeAttribute("aria-current");
  index = clamp(step, 0, last);
  sentences[index].setAttribute("aria-current", "step");
  const label = `Step ${index} of ${last}`;
  words.textContent = `${label}. ${sentences[index].textContent}`;
  slider.value = index;
  slider.setAttribute("aria-valuetext", label);
  byId("first").disabled = byId("back").disabled = index === 0;
  byId("last").disabled = byId("next").disabled = index === last;
  draw();
  follow();
}

// In a box that scrolls, keep the end of the line in sight.
function follow() {
  if (layout.width <= room()) return;
  const end = Math.max(0, ...layout.lay(data.steps[index]).places.filter((place) => place.z >= 1000).map((place) => place.x + layout.w));
  stage.scrollLeft = end + 8 - stage.clientWidth;
}

function pause() {
  clearTimeout(timer);
  timer = null;
  playing.classList.remove("on");
  playing.setAttribute("aria-label", "Play");
}

function tick() {
  timer = setTimeout(() => {
    show(index + 1);
    if (index < last) tick();
    else pause();
  }, PAUSE / Number(speed.value));
}

function play() {
  if (index === last) show(0);
  playing.classList.add("on");
  playing.setAttribute("aria-label", "Pause");
  tick();
}

function go(step) {
  pause();
  show(step);
}

const toggle = () => (timer === null ? play() : pause());
const ACTIONS = {
  first: () => go(0), back: () => go(index - 1), next: () => go(index + 1), last: () => go(last), play: toggle,
};
const KEYS = {
  ArrowRight: "next", " ": "next", ArrowLeft: "back", Home: "first", End: "last", p: "play", P: "play",
};

for (const [id, action] of Object.entries(ACTIONS)) {
  byId(id).addEventListener("click", () => {
    action();
    if (byId(id).disabled) playing.focus(); // a button that is switched off would lose the focus
  });
}
slider.addEventListener("input", () => go(Number(slider.value)));
speed.addEventListener("change", () => {
  stage.style.setProperty("--speed", speed.value);
  if (timer !== null) { clearTimeout(timer); tick(); }
});
choice.addEventListener("change", arrange);
document.addEventListener("keydown", (event) => {
  const name = KEYS[event.key];
  const { tagName } = event.target;
  if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
  if (tagName === "SELECT" || (tagName === "INPUT" && event.key.length > 1)) return; // they know these keys
  if (event.key === " " && (tagName === "BUTTON" || tagName === "SUMMARY")) return;
  event.preventDefault();
  ACTIONS[name]();
});

byId("controls").hidden = false;
byId("layouts").hidden = !data.hand;
choice.value = data.layout;
arrange();
show(0);
let width = stage.clientWidth;
new ResizeObserver(() => {
  if (stage.clientWidth === width) return;
  width = stage.clientWidth;
  arrange();
  follow();
}).observe(stage);
