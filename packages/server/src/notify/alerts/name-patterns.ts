/**
 * Whether a name is among those of a rule (docs/contract/notifications.md 1.7): compared exactly, `*` at the end of a
 * pattern stands for any rest, and `!` before it leaves out. Only what is left out: everything else is in.
 */
export function isNamed(patterns: readonly string[] | null, name: string): boolean {
  if (patterns === null) return true;
  const left = patterns.filter((pattern) => pattern.startsWith('!'));
  const taken = patterns.filter((pattern) => !pattern.startsWith('!'));
  return (
    !left.some((pattern) => fits(pattern.slice(1), name)) &&
    (taken.length === 0 || taken.some((pattern) => fits(pattern, name)))
  );
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
