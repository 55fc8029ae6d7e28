/** Beyond a third of the letters a suggestion would be a guess. */
const DISTANCE_SHARE_MAX = 1 / 3;
const NAME_CHARACTERS_MAX = 100;

/** The known name nearest to a mistyped one, or null when none is near. */
export function closestName(name: string, knownNames: readonly string[]): string | null {
  let closest: string | null = null;
  let closestDistance = Math.floor(Math.min(name.length, NAME_CHARACTERS_MAX) * DISTANCE_SHARE_MAX) + 1;
  for (const known of knownNames) {
    const distance = editDistance(name.slice(0, NAME_CHARACTERS_MAX), known);
    if (distance < closestDistance) {
      closest = known;
      closestDistance = distance;
    }
  }
  return closest;
}

/** Insertions, deletions and replacements from one text to the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const inserted = (current[column - 1] ?? 0) + 1;
      const deleted = (previous[column] ?? 0) + 1;
      current.push(Math.min(replaced, inserted, deleted));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
