import { cutLine, visibleLine } from './visible-text.ts';

const GAP = '  ';
const FLEXIBLE_WIDTH_MIN = 16;
/** Below this width, the flexible column takes from columns with a maximum, but in a pipe, which has no width. */
const FLEXIBLE_WIDTH_READABLE = 36;
const BOUNDED_WIDTH_MIN = 16;

/** A column of a table for people. */
export interface Column<Item> {
  title: string;
  cell: (item: Item, index: number) => string | number | null;
  /** Takes what width is left, and is cut. One column of a table. */
  isFlexible?: true;
  isNumber?: true;
  widthMax?: number;
  style?: (item: Item, text: string) => string;
}

/** Lines of a table, with a line of titles; cells show every character that a terminal would obey. */
export function tableLines<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  { width, title, isPipe = false }: { width: number; title: (text: string) => string; isPipe?: boolean },
): string[] {
  const rows = items.map((item, index) =>
    columns.map(({ cell, widthMax }) => {
      const text = visibleLine(String(cell(item, index) ?? '-'));
      return widthMax === undefined ? text : cutLine(text, widthMax);
    }),
  );
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...rows.map((row) => [...(row[at] ?? '')].length)),
  );
  const flexible = columns.findIndex(({ isFlexible }) => isFlexible === true);
  if (flexible >= 0) {
    let others = widths.reduce((sum, each, at) => (at === flexible ? sum : sum + each + GAP.length), 0);
    const natural = widths[flexible] ?? 0;
    for (const [at, { widthMax }] of columns.entries()) {
      const own = widths[at] ?? 0;
      const missing = Math.min(natural, FLEXIBLE_WIDTH_READABLE) - (width - others);
      if (isPipe || widthMax === undefined || missing <= 0 || own <= BOUNDED_WIDTH_MIN) continue;
      const given = Math.min(missing, own - BOUNDED_WIDTH_MIN);
      widths[at] = own - given;
      others -= given;
    }
    widths[flexible] = Math.min(natural, Math.max(FLEXIBLE_WIDTH_MIN, width - others));
  }
  const pad = (text: string, at: number): string => {
    const cut = cutLine(text, widths[at] ?? 0);
    const missing = ' '.repeat(Math.max(0, (widths[at] ?? 0) - [...cut].length));
    if (columns[at]?.isNumber === true) return missing + cut;
    return at === columns.length - 1 ? cut : cut + missing;
  };
  return [
    title(
      columns
        .map((column, at) => pad(column.title, at))
        .join(GAP)
        .trimEnd(),
    ),
    ...rows.map((row, index) =>
      row
        .map((text, at) => {
          const padded = pad(text, at);
          const item = items[index];
          const style = columns[at]?.style;
          return style === undefined || item === undefined ? padded : style(item, padded);
        })
        .join(GAP)
        .trimEnd(),
    ),
  ];
}
