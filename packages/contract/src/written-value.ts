/** A value as it is written in a query. */
export function writtenValue(value: string): string {
  return /[\s",]|^$|\*$|^[<>=]/u.test(value) ? `"${value.replaceAll('"', ' ')}"` : value;
}
