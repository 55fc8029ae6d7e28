import { usageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { shownTime } from './shown-time.ts';
import { type Column, tableLines } from './table.ts';
import { visibleJson, visibleLine } from './visible-text.ts';

/** Prints a value as JSON: indented at a terminal, one line otherwise. */
export function printJson({ terminal }: Context, value: unknown): void {
  terminal.out(`${visibleJson(value, terminal.isOutTerminal ? 2 : undefined)}\n`);
}

export function printLines({ terminal }: Context, lines: readonly string[]): void {
  if (lines.length > 0) terminal.out(`${lines.join('\n')}\n`);
}

/** A message on standard error; nothing with `--quiet`. */
export function say({ terminal, globals }: Context, text: string): void {
  if (!globals.quiet) terminal.err(`${text}\n`);
}

/** The output of a list command, in each form. */
interface PrintedList<Item> {
  items: readonly Item[];
  /** Key of the items in the JSON. */
  key: string;
  /** The body of the answer; made of items and cursor when absent. */
  body?: object;
  nextCursor?: string | null;
  columns: readonly Column<Item>[];
  /** The output of `--quiet` for each item. */
  id: (item: Item) => string;
  /** Said on standard error when there are none. */
  empty: string;
}

export function printList<Item extends object>(context: Context, list: PrintedList<Item>): void {
  const { terminal, globals } = context;
  const { items, key, nextCursor = null } = list;
  if (globals.json) {
    const body = list.body ?? { [key]: items, next_cursor: nextCursor };
    printJson(context, { ...body, [key]: items.map((item) => keepFields(item, globals.fields)) });
  } else if (globals.quiet) {
    printLines(context, items.map(list.id));
  } else if (items.length === 0) {
    say(context, list.empty);
  } else {
    const title = (text: string) => terminal.style('dim', text);
    const columns = list.columns.map((column): Column<Item> => {
      const cell = (item: Item, index: number) => {
        const shown = column.cell(item, index);
        return typeof shown === 'string' ? shownTime(shown, globals.localTime) : shown;
      };
      return { ...column, cell };
    });
    printLines(
      context,
      tableLines(items, columns, { width: terminal.width, title, isPipe: !terminal.isOutTerminal }),
    );
  }
  if (nextCursor !== null && !globals.json) say(context, `next: --cursor '${nextCursor}'`);
}

/** Prints the record of a command about one record, in each form. */
export function printRecord(
  context: Context,
  record: {
    /** The body of the answer, as JSON prints it. */
    body: unknown;
    /** The key of the record from which `--fields` chooses, when the body holds the record under a key. */
    key?: string;
    /** Label and value; rows without a value are left out. */
    rows: readonly (readonly [string, string | number | boolean | null | undefined])[];
    /** The output of `--quiet`. */
    id: string | null;
  },
): void {
  const { globals, terminal } = context;
  if (globals.json) {
    printJson(context, withFields(record.body, record.key, globals.fields));
    return;
  }
  if (globals.quiet) {
    if (record.id !== null) printLines(context, [record.id]);
    return;
  }
  const rows = record.rows.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const labelWidth = Math.max(0, ...rows.map(([label]) => label.length)) + 2;
  printLines(
    context,
    rows.map(
      ([label, value]) =>
        `${terminal.style('dim', label.padEnd(labelWidth))}${visibleLine(shownTime(String(value), globals.localTime))}`,
    ),
  );
}

function withFields(body: unknown, key: string | undefined, fields: readonly string[] | null): unknown {
  if (fields === null || typeof body !== 'object' || body === null) return body;
  if (key === undefined) return keepFields(body, fields);
  const inner = new Map<string, unknown>(Object.entries(body)).get(key);
  return typeof inner === 'object' && inner !== null ? { ...body, [key]: keepFields(inner, fields) } : body;
}

/** Keeps these keys, in this order; a dot goes into an object. Exit 2 with the keys that exist for another. */
export function keepFields(item: object, fields: readonly string[] | null): object {
  if (fields === null) return item;
  const kept: Record<string, unknown> = {};
  for (const field of fields) {
    let value: unknown = item;
    for (const part of field.split('.')) {
      const known = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      if (typeof value !== 'object' || value === null || !known.includes(part)) {
        throw usageError(`There is no field "${field}".`, `the fields are ${known.join(', ')}`);
      }
      value = new Map<string, unknown>(Object.entries(value)).get(part);
    }
    kept[field] = value;
  }
  return kept;
}
