const NAME_LENGTH_MAX = 120;

/**
 * The kind of failure that a title names, and the message: a name is all before the first `: `, in whatever form the
 * language writes it (`java.lang.X`, `A::B`, `App\\X`), unless it has a blank.
 */
export function titleParts(title: string): { name: string; rest: string } {
  const [, name = '', rest = title] = /^([^\s]+): (.*)$/s.exec(title) ?? [];
  return name.length <= NAME_LENGTH_MAX ? { name, rest } : { name: '', rest: title };
}

/** A trend in words: how many, and where it goes. */
export function trendWords(counts: readonly number[]): string {
  const total = sum(counts);
  const half = Math.floor(counts.length / 2);
  const [before, after] = [sum(counts.slice(0, half)), sum(counts.slice(half))];
  const direction = after > before * 1.5 ? ', rising' : before > after * 1.5 ? ', falling' : '';
  return `${total} in 24 hours${total === 0 ? '' : direction}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
