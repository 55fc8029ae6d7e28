/** The place that a line of a stack names; line and column are null where it names none. */
export function placeOf(text: string): { file: string; line: number | null; column: number | null } | null {
  const line = text.trim().slice(0, 4096);
  const inBrackets = /\(([^()]*)\)$/.exec(line)?.[1];
  const place = (inBrackets ?? line.slice(line.indexOf('@') + 1))
    .replace(/^(?:at\s+)?(?:async\s+)?/, '')
    .trim();
  const [, file = place, ...numbers] = /^(\S+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/.exec(place) ?? [];
  if (file === '' || /\s/.test(file)) return null;
  const [at, column] = numbers.map((number) => (number === undefined ? null : Number(number)));
  return { file, line: at ?? null, column: column ?? null };
}
