/** The first `codePointsMax` code points; never splits a surrogate pair. */
export function cutCodePoints(text: string, codePointsMax: number): string {
  if (text.length <= codePointsMax) return text;
  let units = 0;
  for (let points = 0; points < codePointsMax && units < text.length; points++) {
    units += isPairAt(text, units) ? 2 : 1;
  }
  return text.slice(0, units);
}

/** At most `unitsMax` UTF-16 units; one less where the cut would split a surrogate pair. */
export function cutUnits(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  return text.slice(0, isPairAt(text, unitsMax - 1) ? unitsMax - 1 : unitsMax);
}

/** The first line that is not blank, trimmed; empty when there is none. */
export function firstFilledLine(text: string): string {
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== '') return line;
    start = end + 1;
  }
  return '';
}

function isPairAt(text: string, index: number): boolean {
  const high = text.charCodeAt(index);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(index + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
