import { ANONYMOUS, type FunctionTable, functionAt, functionTable } from './function-table.ts';
import { type Script, scriptOf } from './script-of-source.ts';
import { lineAt } from './source-lines.ts';
import { storableName } from './storable-text.ts';

/** The names of the functions of a source (docs/contract/source-maps.md 4.5). */
export interface SourceFunctions {
  /** The name of the innermost function around a place of the text; null where the text cannot be parsed. */
  nameAt(at: number): string | null;
  /** Returns the number of functions that were read. */
  count(): number;
}

/** Larger texts are not parsed. */
export const PARSED_CHARS_MAX = 524_288;
const TOP_LEVEL = '<module>';
/** The name of the part of a component outside of its scripts. */
export const TEMPLATE = '<template>';

/** A text of at most this length is parsed as a whole; in a longer one, single statements are tried first. */
const WHOLE_CHARS_MAX = 2048;
/** Lines at which statements of the top level begin, as nearly everybody writes them. */
const STATEMENT =
  /^(?:export|import|function|async function|class|abstract class|const|let|var|interface|type|enum|namespace|declare)\b/gm;

/** The functions of a source, which are read when they are asked for; null for one that is too large or no script. */
export function sourceFunctions(file: string, text: string): SourceFunctions | null {
  if (text.length > PARSED_CHARS_MAX) return null;
  const script = scriptOf(file, text);
  if (script === null) return null;
  const statement = text.length > WHOLE_CHARS_MAX ? readStatements(script) : null;
  let whole: FunctionTable | null | undefined;
  let functions = 0;
  const tableOf = (part: string, isWhole: boolean) => {
    const table = parsed(part, script, isWhole);
    functions += table?.names.length ?? 0;
    return table;
  };
  return {
    count: () => functions,
    nameAt(at) {
      const known = whole === undefined ? statement?.(at, tableOf) : null;
      if (known !== undefined && known !== null) return storableName(known);
      if (whole === undefined) whole = tableOf(script.text, true);
      return whole === null ? null : storableName(functionAt(whole, at) ?? outsideOf(script, at));
    },
  };
}

/**
 * Reads the one statement of the top level around a place, which takes a small part of the time that the whole text
 * takes. What looks like one and is none cannot be parsed by itself, or names no function: then the answer is null.
 */
function readStatements({ text }: Script) {
  const starts = Array.from(text.matchAll(STATEMENT), ({ index }) => index);
  const tables = new Map<number, FunctionTable | null>();
  return (at: number, tableOf: (part: string, isWhole: boolean) => FunctionTable | null): string | null => {
    const index = lineAt(starts, at);
    const start = starts[index] ?? text.length;
    const end = starts[index + 1] ?? text.length;
    if (start > at || (end - start) * 2 > text.length) return null;
    let table = tables.get(start);
    if (table === undefined) {
      table = tableOf(text.slice(start, end), false);
      tables.set(start, table);
    }
    const name = table === null ? null : functionAt(table, at - start);
    return name === null || name.startsWith(ANONYMOUS) || name === `new ${ANONYMOUS}` ? null : name;
  };
}

function parsed(text: string, { plugins }: Script, isWhole: boolean): FunctionTable | null {
  try {
    return functionTable(text, plugins, isWhole);
  } catch {
    return null;
  }
}

function outsideOf({ blocks }: Script, at: number): string {
  const isTemplate = blocks !== null && !blocks.some(([start, end]) => at >= start && at <= end);
  return isTemplate ? TEMPLATE : TOP_LEVEL;
}
