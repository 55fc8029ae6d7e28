/** What kind of failure a title names, and what it says. */
export function titleParts(title: string): { name: string; rest: string } {
  const at = title.indexOf(': ');
  const name = at > 0 ? title.slice(0, at) : '';
  return /^[A-Z]\w{0,80}(?:Error|Exception|Fault|Failure|Warning)?$/.test(name) && /[a-z]/.test(name)
    ? { name, rest: title.slice(at + 2) }
    : { name: '', rest: title };
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
