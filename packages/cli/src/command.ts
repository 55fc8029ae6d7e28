import type { Context } from './context.ts';
import type { Flag } from './flag.ts';
import type { Input } from './input.ts';

/** One command. The table of all of them is what the parser, help, completion and reference are made of. */
export interface CommandSpec {
  /** Words behind `culprit`, such as `incidents list`. */
  readonly path: string;
  readonly says: string;
  /** Positional arguments, as `<REF>` (needed), `[FILE]` (optional), `<REF...>` (one and more) or `<REF...> <WHO>`. */
  readonly arguments?: string;
  readonly flags?: readonly Flag[];
  /** At least two command lines, without `culprit `. */
  readonly examples: readonly [string, string, ...string[]];
  /** Exit codes that mean something special here. */
  readonly exits?: Readonly<Record<number, string>>;
  /** The ids of the endpoints that it covers, so that a test finds those without a command. */
  readonly endpoints?: readonly string[];
  /** Other last words; absent: `ls` for `list`, `rm` for `delete` and `remove`. */
  readonly aliases?: readonly string[];
  /** True if the following arguments are passed on unchanged. */
  readonly passesThrough?: true;
  /** The command of `local` that runs in its place when every reference begins with `local:`. */
  readonly local?: string;
  readonly load: () => Promise<Run>;
}

/** Runs a command. @returns the exit code, which is that of another program where one was run. Failures are thrown. */
export type Run = (context: Context, input: Input) => Promise<number>;

/** A group of commands that share their first word. */
export interface CommandGroup {
  /** Null for commands of one word. */
  readonly noun: string | null;
  /** Other words for the noun, such as the singular. */
  readonly aliases?: readonly string[];
  readonly says: string;
  /** Heading in the overview. */
  readonly heading: 'Start' | 'Look' | 'Act' | 'Send' | 'Set up' | 'Tools';
  readonly commands: readonly CommandSpec[];
}
