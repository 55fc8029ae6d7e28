/** The form of a value in a query. */
export function writtenValue(value: string): string {
  return /[\s",]|^$|\*$|^[<>=]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
