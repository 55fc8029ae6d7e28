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

/** Writes a result: as one line of JSON, or a line for each of its parts. */
export function printResult(result: object, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(result)}\n` : `${linesOf(result).join('\n')}\n`);
}

function linesOf(value: object, path = ''): string[] {
  return Object.entries(value).flatMap(([name, part]) => {
    const label = path === '' ? name : `${path}.${name}`;
    if (typeof part === 'object' && part !== null) return linesOf(part, label);
    return [`${label}: ${part === NO_LIMIT ? 'no limit' : (part ?? '-')}`];
  });
}
