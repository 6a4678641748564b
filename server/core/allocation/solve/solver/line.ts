const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Least value on an interval: a grid, then golden section around its best point. */
export function lineSearch(value: (at: number) => number, from: number, to: number): [number, number] {
  const cells = 12;
  let at = from;
  let least = Infinity;
  for (let i = 0; i <= cells; i++) {
    const point = from + ((to - from) * i) / cells;
    const found = value(point);
    if (found < least) {
      least = found;
      at = point;
    }
  }
  let low = Math.max(from, at - (to - from) / cells);
  let high = Math.min(to, at + (to - from) / cells);
  let left = high - GOLDEN * (high - low);
  let right = low + GOLDEN * (high - low);
  let atLeft = value(left);
  let atRight = value(right);
  while (high - low > 1e-9 * Math.max(1, to)) {
    if (atLeft <= atRight) {
      high = right;
      right = left;
      atRight = atLeft;
      left = high - GOLDEN * (high - low);
      atLeft = value(left);
    } else {
      low = left;
      left = right;
      atLeft = atRight;
      right = low + GOLDEN * (high - low);
      atRight = value(right);
    }
    if (atLeft < least) {
      least = atLeft;
      at = left;
    }
    if (atRight < least) {
      least = atRight;
      at = right;
    }
  }
  return [at, least];
}
