/** The candidate closest to what was typed, when it is close enough to be a slip (a third of its letters, at most 3). */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const limit = Math.min(3, Math.max(1, Math.floor(typed.length / 3)));
  let best: string | undefined;
  let least = limit + 1;
  if (typed.length > 60) return undefined;
  const lower = typed.toLowerCase();
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - typed.length) >= least) continue;
    const distance = editDistance(lower, candidate.toLowerCase(), least);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
 * @param most a distance from which on it does not matter how far: that much or more is given
 */
export function editDistance(a: string, b: string, most = Infinity): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, beforePrevious[j - 2] + 1);
      current.push(value);
      if (value < least) least = value;
    }
    // A swap reaches back two rows, and adds one.
    if (least > most) return least;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length];
}
