import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { NO_LIMIT } from '../workspace/billing/plan-limits.ts';

/** One administrator's command. */
export interface AdminCommand {
  /** The line of usage, as behind `Usage:`. */
  usage: string;
  /** The description of the command, in a sentence or two. */
  purpose: string;
  /**
   * Runs with the arguments behind its name and writes its result to standard output.
   * @throws UsageError, CommandRefused
   */
  run(args: readonly string[]): Promise<void>;
}

/** The command line is not usable. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command line is fine, but what it asks for cannot be done; the message says why. */
export class CommandRefused extends Error {
  override name = 'CommandRefused';
}

/** Returns the named options of a command; any other argument is a `UsageError`. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Writes a result as one line of JSON or as text for people. */
export function printResult(result: object, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${linesOf(result).join('\n')}\n`);
}

/** A line for each field, an indented block for each record, and a table for each list of records. */
export function linesOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (typeof part !== 'object' || part === null) return [`${name}: ${cellOf(part)}`];
    const lines = Array.isArray(part) ? tableOf(part) : linesOf(part);
    return lines.length === 0 ? [`${name}: none`] : [`${name}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function tableOf(items: readonly unknown[]): string[] {
  const records = items.map((item): [string, unknown][] =>
    typeof item === 'object' && item !== null ? Object.entries(item) : [['value', item]],
  );
  const names = [...new Set(records.flatMap((record) => record.map(([name]) => name)))];
  const rows = records.map((record) => names.map((name) => cellOf(new Map(record).get(name))));
  const headers = names.map((name) => name.replaceAll('_', ' ').toUpperCase());
  const widths = headers.map((header, at) =>
    Math.max(header.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  if (rows.length === 0) return [];
  return [headers, ...rows].map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function cellOf(value: unknown): string {
  if (value === NO_LIMIT) return 'no limit';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}
