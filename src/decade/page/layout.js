// Where everything lies after a step. A layout has a fixed height and card size for the whole play
// (nothing jumps), and lay(step) gives the places of all cards, what is written and what is drawn
// beside them. Cards are named by their place in the deal. A higher z lies on top.

const HEIGHT = 1.4; // of a card as wide as 1
const CAPTION = 22; // room for a line of text, in pixels
const BREATH = 10;
const APART = 1.35; // how far apart the cards of a loop lie where there is room, in widths

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function longestPile(data) {
  let longest = 1;
  for (const { piles } of data.steps) for (const pile of piles) longest = Math.max(longest, pile.length);
  return longest;
}

// The stock face down on the left; what is out of play face up beside it, in the order it left.
function topRow(data, step, width, w) {
  const places = [];
  step.stock.forEach((card, at) => {
    const under = step.stock.length - 1 - at;
    places.push({ card, x: 2 + under * 0.2, y: CAPTION - under * 0.1, z: under, down: true });
  });
  const left = Math.max(1.35 * w, 92);
  const spread = Math.min(0.3 * w, (width - left - w - 2) / Math.max(1, data.cards.length - 1));
  step.discards.forEach((card, at) => places.push({ card, x: left + at * spread, y: CAPTION, z: 200 + at }));
  const captions = [{ x: 2, y: 0, text: `Stock: ${step.stock.length}` }];
  if (!data.recycle) captions.push({ x: left, y: 0, text: `Gone: ${step.discards.length}` });
  return { places, captions, shapes: [] };
}

// One straight line, in as few rows as leave each card's corner in sight.
function lineLayout(data, width) {
  const w = clamp(width * 0.14, 46, 88);
  const h = w * HEIGHT;
  const longest = longestPile(data);
  let rows = 0, perRow, step;
  do {
    rows += 1;
    perRow = Math.ceil(longest / rows);
    step = (width - w - 4) / Math.max(1, perRow - 1);
  } while (step < w * [0, 0.5, 0.42][rows] || step < w * 0.38);
  step = Math.min(step, w * 1.06);
  const top = CAPTION + h + CAPTION + BREATH;
  return {
    w, width,
    height: top + rows * (h + BREATH) + BREATH,
    lay(state) {
      const laid = topRow(data, state, width, w);
      laid.captions.push({ x: 2, y: top - CAPTION - 4, text: `The line: ${state.piles[0].length}` });
      state.piles[0].forEach((card, at) => {
        const row = Math.floor(at / perRow);
        const x = 2 + (at - row * perRow) * step;
        laid.places.push({ card, x, y: top + BREATH + row * (h + BREATH), z: 1000 + at, lift: [0, -0.08 * h] });
      });
      return laid;
    },
  };
}

// Several piles, as columns that grow downwards; a loop has a track round it, back to its start.
function columnsLayout(data, width) {
  const piles = data.steps[0].piles.length;
  const gap = (data.wrap ? 14 : 8) - (width < 480 ? 4 : 0);
  const rows = Math.ceil(piles / Math.floor((width + gap - 10) / (34 + gap)));
  const perRow = Math.ceil(piles / rows);
  const w = clamp((width - 10 - gap * (perRow - 1)) / perRow, 30, 80);
  const h = w * HEIGHT;
  const longest = longestPile(data);
  const step = Math.min(0.37 * h, Math.max(0.22 * h, 560 / longest));
  const top = CAPTION + h + BREATH;
  const column = CAPTION + 6 + h + (longest - 1) * step + 2 * BREATH;
  const left = (width - perRow * w - (perRow - 1) * gap) / 2;
  return {
    w, width,
    height: top + rows * column,
    lay(state) {
      const laid = topRow(data, state, width, w);
      state.piles.forEach((pile, number) => {
        const x = left + (number % perRow) * (w + gap);
        const y = top + Math.floor(number / perRow) * column;
        const out = !pile.length && state.received[number] > 0;
        laid.captions.push({ x: x + w / 2, y, text: out ? "out" : `${number + 1}`, center: true });
        pile.forEach((card, at) => laid.places.push({
          card, x, y: y + CAPTION + 6 + at * step, z: 1000 + at, lift: [0.1 * w, 0],
        }));
        const bottom = h + Math.max(0, pile.length - 1) * step;
        laid.shapes.push({
          key: `pile${number}`, kind: data.wrap ? "track" : "mat", x: x - 5, y: y + CAPTION + 1,
          width: w + 10, height: data.wrap || !pile.length ? bottom + 10 : h + 10, faint: !pile.length,
        });
      });
      return laid;
    },
  };
}

function perimeter(rx, ry) { // Ramanujan's approximation
  return Math.PI * (3 * (rx + ry) - Math.sqrt((3 * rx + ry) * (rx + 3 * ry)));
}

// Points at equal distances along an ellipse, clockwise from its top.
function ring(rx, ry, count) {
  const fine = 720, lengths = [0];
  const at = (turn) => [rx * Math.sin(2 * Math.PI * turn), -ry * Math.cos(2 * Math.PI * turn)];
  for (let i = 1; i <= fine; i += 1) {
    const [a, b] = [at((i - 1) / fine), at(i / fine)];
    lengths.push(lengths[i - 1] + Math.hypot(a[0] - b[0], a[1] - b[1]));
  }
  let i = 0;
  return Array.from({ length: count }, (_, number) => {
    while (lengths[i] < (number / count) * lengths[fine]) i += 1;
    return at(i / fine);
  });
}

// One loop, as a ring that is as wide as its cards need.
function ringLayout(data, width) {
  const w = clamp(width * 0.12, 42, 76);
  const h = w * HEIGHT;
  const longest = longestPile(data);
  let rx = Math.min((width - w) / 2 - 8, 340);
  let ry = rx * 0.6;
  while (perimeter(rx, ry) < longest * 0.62 * w) ry += 4;
  const most = clamp((longest * APART * w) / perimeter(rx, ry), (0.8 * h) / ry, 1);
  [rx, ry] = [rx * most, ry * most];
  const top = CAPTION + h + CAPTION;
  const center = [width / 2, top + BREATH + h / 2 + ry];
  return {
    w, width,
    height: center[1] + ry + h / 2 + BREATH,
    lay(state) {
      const laid = topRow(data, state, width, w);
      const pile = state.piles[0];
      const size = clamp((pile.length * APART * w) / perimeter(rx, ry), Math.min(1, (0.8 * h) / ry), 1);
      ring(rx * size, ry * size, pile.length).forEach(([dx, dy], at) => laid.places.push({
        // Whatever lies further right or below lies on top: so all corners are in sight.
        card: pile[at], x: center[0] + dx - w / 2, y: center[1] + dy - h / 2,
        z: 1000 + Math.round(center[0] + dx + 2 * (center[1] + dy)), lift: [0, -0.08 * h],
      }));
      laid.shapes.push({
        key: "ring", kind: "ring", x: center[0] - rx * size, y: center[1] - ry * size,
        width: 2 * rx * size, height: 2 * ry * size, faint: !pile.length,
      });
      laid.captions.push({ x: 2, y: top - 4, text: `The loop: ${pile.length}` });
      return laid;
    },
  };
}

// The one-handed game: the deck face down in the hand, the line fanned out on it, and what is out
// of play face up underneath. A line too long for the page is scrolled in its own box.
function handLayout(data, width) {
  const w = clamp(width * 0.17, 56, 100);
  const h = w * HEIGHT;
  const longest = longestPile(data);
  const [x, y] = [0.5 * w, CAPTION + 0.52 * h];
  const start = x + 0.22 * w;
  const step = clamp((width - start - w - 6) / Math.max(1, longest - 1), 0.38 * w, 0.6 * w);
  const spread = Math.min(0.3 * w, (width - x - 1.2 * w) / Math.max(1, data.cards.length));
  return {
    w,
    width: Math.max(width, start + (longest - 1) * step + w + 6),
    height: y + 1.62 * h + CAPTION + BREATH,
    lay(state) {
      const [line, deck] = [state.piles[0], state.stock.length];
      const places = [];
      state.discards.forEach((card, at) => places.push({ card, x: x + 0.1 * w + at * spread, y: y + 0.6 * h, z: 10 + at }));
      state.stock.forEach((card, at) => {
        const under = deck - 1 - at;
        places.push({ card, x: x - under * 0.12, y: y - under * 0.2, z: 200 + under, down: true });
      });
      line.forEach((card, at) => places.push({
        card, x: start + at * step, y: y - 0.46 * h, z: 1000 + at, lift: [0, -0.06 * h],
      }));
      const shapes = [
        { key: "palm", kind: "palm", x: 0, y: y + 0.24 * h, width: 1.5 * w, height: 1.9 * w, z: 1 },
        { key: "thumb", kind: "thumb", x: 0.06 * w, y: y + 0.36 * h, width: 1.1 * w, height: 1.1 * w, z: 900 },
      ];
      const captions = [
        { x: 2, y: 0, text: `The line, on the deck: ${line.length}` },
        { x: 2, y: y + 1.62 * h + BREATH, text: `Deck: ${deck}, face down. Underneath: ${state.discards.length}` },
      ];
      return { places, captions, shapes };
    },
  };
}

function layoutFor(data, name, width) {
  if (name === "hand") return handLayout(data, width);
  if (data.steps[0].piles.length > 1) return columnsLayout(data, width);
  return data.wrap ? ringLayout(data, width) : lineLayout(data, width);
}
