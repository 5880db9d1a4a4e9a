// Cards, drawn. A card is 100 by 140; each suit is a path round the origin, about 20 across, and
// pips and corners use it. Court cards are half a figure, seen twice: upright and turned round.

const SUITS = {
  S: { ink: "#1d2330", path: "M0,-10C3,-5 10,-1 10,4.2C10,8 4.5,9 1.4,5.4C1.6,8 2.4,9.4 4,10H-4C-2.4,9.4 -1.6,8 -1.4,5.4C-4.5,9 -10,8 -10,4.2C-10,-1 -3,-5 0,-10Z" },
  H: { ink: "#c1272d", path: "M0,10C-3,5.5 -10,1 -10,-4.2C-10,-10 -2.2,-11 0,-5C2.2,-11 10,-10 10,-4.2C10,1 3,5.5 0,10Z" },
  D: { ink: "#c1272d", path: "M0,-11Q3.6,-4.5 8.2,0Q3.6,4.5 0,11Q-3.6,4.5 -8.2,0Q-3.6,-4.5 0,-11Z" },
  C: { ink: "#1d2330", path: "M0,-9.8a4.7,4.7 0 1 1 0,9.4a4.7,4.7 0 1 1 0,-9.4ZM-5.3,-2.4a4.7,4.7 0 1 1 0,9.4a4.7,4.7 0 1 1 0,-9.4ZM5.3,-2.4a4.7,4.7 0 1 1 0,9.4a4.7,4.7 0 1 1 0,-9.4ZM-2,-3L2,-3L1.3,4C1.5,7.5 2.4,9.4 4,10H-4C-2.4,9.4 -1.5,7.5 -1.3,4Z" },
  none: { ink: "#35507a", path: "M0,-7a7,7 0 1 1 0,14a7,7 0 1 1 0,-14Z" },
};

// What a court of each suit wears: robe, hat, hair.
const WEAR = {
  S: ["#27408b", "#8b1e2d", "#5b4632"],
  H: ["#b3202c", "#27408b", "#c58b2a"],
  D: ["#c4561a", "#1f6b5c", "#d9a441"],
  C: ["#1f5e3d", "#7a2048", "#3a2c20"],
  none: ["#35507a", "#6c7a89", "#6b5b4b"],
};
const GOLD = "#e3b23c";

const RANKS = ["", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

// Where pips lie: pairs in both outer columns, and single ones in the middle.
const OUTER = [[], [], [], [], [28, 112], [28, 112], [28, 70, 112], [28, 70, 112], [28, 70, 112], [28, 56, 84, 112], [28, 56, 84, 112]];
const INNER = [[], [70], [28, 112], [28, 70, 112], [], [70], [], [49], [49, 91], [70], [42, 98]];

function pip(suit, x, y, size) {
  const turn = y > 70 ? " rotate(180)" : "";
  return `<use href="#suit-${suit}" transform="translate(${x} ${y})${turn} scale(${size})"/>`;
}

function pips(rank, suit) {
  if (rank === 1) return pip(suit, 50, 70, 2.1);
  const outer = OUTER[rank].flatMap((y) => [pip(suit, 36, y, 0.74), pip(suit, 64, y, 0.74)]);
  return outer.concat(INNER[rank].map((y) => pip(suit, 50, y, 0.74))).join("");
}

const HEADS = {
  11: (hat, hair) => `<path d="M11,22H31V36C31,41 11,41 11,36Z" fill="${hair}"/><ellipse cx="21" cy="30" rx="7" ry="8.5" fill="#f6d9bd"/>
    <path d="M32,18C41,13 41,5 37,2C35,8 30,11 30,18Z" fill="${GOLD}"/><path d="M8,23C8,9 33,7 35,20L32,24Z" fill="${hat}"/>`,
  12: (hat, hair) => `<path d="M10,28C7,11 35,11 32,28L36,46H6Z" fill="${hair}"/><ellipse cx="21" cy="30" rx="7" ry="8.5" fill="#f6d9bd"/>
    <path d="M12,21L10,10L16,15L21,7L26,15L32,10L30,21Q21,17 12,21Z" fill="${GOLD}"/><circle cx="21" cy="15.5" r="1.8" fill="${hat}"/>`,
  13: (hat, hair) => `<path d="M11,22H31V38H11Z" fill="${hair}"/><ellipse cx="21" cy="29" rx="7.5" ry="8.5" fill="#f6d9bd"/>
    <path d="M12.5,30C12,47 30,47 29.5,30Q25,35 21,33.5Q17,35 12.5,30Z" fill="${hair}"/>
    <path d="M10,22L7,7L14.5,13L21,3L27.5,13L35,7L32,22Z" fill="${GOLD}"/><path d="M10,22H32V18.5H10Z" fill="${hat}"/>`,
};

function court(rank, suit) {
  const [robe, hat, hair] = WEAR[suit];
  const half = `<path d="M1,58C1,45 12,43 16,40H26C30,43 41,45 41,58Z" fill="${robe}"/>
    <path d="M14,41L21,52L28,41L26,39H16Z" fill="${GOLD}"/><path d="M18.5,52h5v6h-5Z" fill="${hat}"/>
    <path d="M5,58C6,51 9,49 12,47M37,58C36,51 33,49 30,47" fill="none" stroke="${GOLD}" stroke-width="1.6"/>
    ${HEADS[rank](hat, hair)}
    <circle cx="18.3" cy="28.5" r="0.9" fill="#2b2118"/><circle cx="23.7" cy="28.5" r="0.9" fill="#2b2118"/>
    <path d="M19,0Q21,1.5 23,0" transform="translate(0 ${rank === 13 ? 36 : 34.5})" fill="none" stroke="#a8443c" stroke-width="1.1"/>`;
  const drawn = `<g transform="translate(29 12)">${half}</g>`;
  return `<rect x="29" y="12" width="42" height="116" fill="#fcf4dc"/>${drawn}
    <g transform="rotate(180 50 70)">${drawn}</g>
    <rect x="29" y="12" width="42" height="116" rx="2" fill="none" stroke="${SUITS[suit].ink}" stroke-width="1"/>`;
}

function front(card) {
  const suit = card.suit || "none";
  const label = RANKS[card.rank];
  const squeeze = label.length > 1 ? ' textLength="24" lengthAdjust="spacingAndGlyphs"' : "";
  const corner = `<text x="15.5" y="29" text-anchor="middle"${squeeze}>${label}</text>` +
    (card.suit ? `<use href="#suit-${suit}" transform="translate(15.5 46) scale(.95)"/>` : "");
  return `<svg class="front" viewBox="0 0 100 140" fill="${SUITS[suit].ink}" aria-hidden="true">
    <rect x=".75" y=".75" width="98.5" height="138.5" rx="8" class="paper"/>
    ${card.rank > 10 ? court(card.rank, suit) : pips(card.rank, suit)}
    ${corner}<g transform="rotate(180 50 70)">${corner}</g></svg>`;
}

const BACK = `<svg class="back" viewBox="0 0 100 140" aria-hidden="true">
  <rect x=".75" y=".75" width="98.5" height="138.5" rx="8" class="paper"/>
  <rect x="7" y="7" width="86" height="126" rx="4" fill="#24477f"/>
  <rect x="7" y="7" width="86" height="126" rx="4" fill="url(#weave)"/>
  <rect x="11" y="11" width="78" height="118" rx="3" fill="none" stroke="#dbe6f7" stroke-width="1.2"/>
  <circle cx="50" cy="70" r="17" fill="#24477f" stroke="#dbe6f7" stroke-width="1.6"/>
  <path d="M42,60L58,80M58,60L42,80" stroke="#dbe6f7" stroke-width="4" stroke-linecap="round"/></svg>`;

// What all cards refer to, once a page.
const DEFINITIONS = `<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>
  ${Object.entries(SUITS).map(([name, suit]) => `<path id="suit-${name}" d="${suit.path}" fill="${suit.ink}"/>`).join("")}
  <pattern id="weave" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
  <path d="M0,4H8M4,0V8" stroke="#86a7da" stroke-width="1.3"/><circle cx="4" cy="4" r="1.4" fill="#dbe6f7"/></pattern></defs></svg>`;

// The hand of the one-handed game: what lies behind the cards, and the thumb that holds them.
const HAND = {
  palm: `<svg viewBox="0 0 150 190" aria-hidden="true"><path d="M4,190C-6,150 0,110 14,66C24,44 60,40 96,60C126,78 128,140 112,190Z"/></svg>`,
  thumb: `<svg viewBox="0 0 110 110" aria-hidden="true"><path d="M2,104C2,74 22,56 46,42C60,34 76,24 88,32C98,40 90,54 78,62C60,74 50,84 46,106"/>
    <path d="M73,38C79,34 86,33 88,36C90,41 84,47 78,50" class="nail"/></svg>`,
};
