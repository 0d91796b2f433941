// Places in a tree of moves. The numbers of nodes change when the studio reads a game again; the moves that lead to a
// place do not, so links name it by a number that is made of them.

export const SIDES = ["white", "black"];

// The child with a move; null where there is none.
export function childWith(nodes, uci, from) {
  const children = nodes.get(from)?.children ?? [];
  return children.find((id) => nodes.get(id).uci === uci) ?? null;
}

// The moves from the start position to a node.
export function movesTo(nodes, id) {
  const moves = [];
  for (let node = nodes.get(id); node?.parent !== undefined; node = nodes.get(node.parent)) moves.unshift(node.uci);
  return moves;
}

// The node to which moves lead, as far as they are there.
export function nodeAfter(nodes, moves) {
  let at = 0;
  for (const uci of moves) {
    const child = childWith(nodes, uci, at);
    if (child === null) break;
    at = child;
  }
  return at;
}

// The node with these moves; null where one of them is not there.
export function nodeWith(nodes, moves) {
  const node = nodeAfter(nodes, moves);
  return movesTo(nodes, node).length === moves.length ? node : null;
}

// The name of a place in a link: FNV-1a of its moves.
export function placeName(nodes, id) {
  let hash = 0x811c9dc5;
  for (const sign of movesTo(nodes, id).join(" ")) hash = Math.imul(hash ^ sign.codePointAt(0), 0x01000193) >>> 0;
  return hash.toString(36);
}

// The node that a link names: `#at=PLACE`, or the number of a node in one that the studio has made just now, `#node=N`. Null where
// it names none, or none that is there.
export function nodeOfLink(nodes, hash) {
  const link = new URLSearchParams(hash.slice(1));
  const place = link.get("at");
  if (place !== null) return [...nodes.keys()].find((id) => placeName(nodes, id) === place) ?? null;
  const number = link.get("node");
  return number !== null && nodes.has(Number(number)) ? Number(number) : null;
}

// Nodes by their numbers, each with its children.
export function nodesOf(tree) {
  const nodes = new Map(tree.nodes.map((node) => [node.id, { ...node, children: [] }]));
  for (const node of nodes.values()) {
    if (node.parent !== undefined) nodes.get(node.parent).children.push(node.id);
  }
  return nodes;
}
