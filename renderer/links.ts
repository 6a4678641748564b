/** Which setting is chosen among the figures of one fit, so that a choice in the forest filters the fits. */
type Listener = (setting: string | null) => void;

const listeners = new Map<string, Set<Listener>>();
const chosen = new Map<string, string>();

export function chosenIn(link: string): string | null {
  return chosen.get(link) ?? null;
}

/** Chooses a setting, or takes the choice back when it is chosen already. */
export function choose(link: string, setting: string | null): void {
  if (setting === null || chosen.get(link) === setting) chosen.delete(link);
  else chosen.set(link, setting);
  for (const listener of listeners.get(link) ?? []) listener(chosenIn(link));
}

/** Calls back at every change; returns the way to stop it. */
export function onChoice(link: string, listener: Listener): () => void {
  const group = listeners.get(link) ?? new Set();
  listeners.set(link, group.add(listener));
  return () => {
    group.delete(listener);
    if (group.size > 0) return;
    // The last figure of a fit is gone: a later one starts without a choice.
    listeners.delete(link);
    chosen.delete(link);
  };
}
