import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Input } from '../input.ts';
import { startLiveLine } from '../output/live-line.ts';
import { say } from '../output/print.ts';

const PAGE_MAX = 100;
const ROWS_DEFAULT = 20;
const ROWS_MAX = 10_000;

export interface Gathered<Item> {
  items: Item[];
  nextCursor: string | null;
  /** The answer with everything that it says besides, for `--json`: that of the first page, with the last cursor. */
  body: object;
  /** `partial` when there is more than `--all` takes. */
  exit: ExitCode;
}

/**
 * Gathers rows over pages, each once.
 * @param page asks for one page
 * @param keep which rows count, for filters that the endpoint does not have: pages follow until enough are found
 */
export async function gather<Item>(
  context: Context,
  input: Input,
  page: (query: { limit: number; cursor?: string }) => Promise<Omit<Gathered<Item>, 'exit'>>,
  idOf: (item: Item) => string,
  keep: ((item: Item) => boolean) | null = null,
): Promise<Gathered<Item>> {
  const isAll = input.has('all');
  const wanted = isAll ? ROWS_MAX : (input.number('limit') ?? ROWS_DEFAULT);
  const rows = new Map<string, Item>();
  let cursor = input.text('cursor');
  let first: object | null = null;
  const line = startLiveLine(context);
  try {
    for (;;) {
      // Few of a page may be kept, so that pages of what is missing would be many.
      const limit = keep === null ? Math.min(PAGE_MAX, wanted - rows.size) : PAGE_MAX;
      const from = cursor === null ? {} : { cursor };
      const { items, nextCursor, body } = await page({ limit, ...from });
      first ??= body;
      cursor = nextCursor;
      for (const [index, item] of items.entries()) {
        if ((keep === null || keep(item)) && !rows.has(idOf(item))) rows.set(idOf(item), item);
        if (keep === null || rows.size < wanted || index === items.length - 1) continue;
        // The rest of the page belongs to the next list, and only the server makes a cursor for that.
        cursor = (await page({ limit: index + 1, ...from })).nextCursor;
        break;
      }
      if (cursor === null || rows.size >= wanted || context.interrupted.aborted) break;
      line.tell((seconds) => `${rows.size} rows, ${Math.round(rows.size / seconds)} a second`);
    }
  } finally {
    line.end();
  }
  const isCut = isAll && cursor !== null;
  if (isCut) say(context, `There are more than ${ROWS_MAX} rows.`);
  const body = 'next_cursor' in first ? { ...first, next_cursor: cursor } : first;
  return { items: [...rows.values()], nextCursor: cursor, body, exit: isCut ? EXIT.partial : EXIT.ok };
}
