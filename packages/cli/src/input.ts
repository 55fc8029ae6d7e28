import { usageError } from './cli-error.ts';
import { parseDurationMs } from './duration.ts';
import type { Flag } from './flag.ts';
import { instantMs } from './instant.ts';

/** The input of a command: arguments, and flags in the form of its specification. */
export class Input {
  readonly args: readonly string[];
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #flags: readonly Flag[];

  /** @param values by the name of the flag, as the parser leaves them: text, a list of texts, or true */
  constructor(args: readonly string[], values: ReadonlyMap<string, unknown>, flags: readonly Flag[]) {
    this.args = args;
    this.#values = values;
    this.#flags = flags;
    for (const flag of flags) this.#check(flag);
  }

  /** The same with some switches set. */
  with(switches: Readonly<Record<string, true>>): Input {
    return new Input(this.args, new Map([...this.#values, ...Object.entries(switches)]), this.#flags);
  }

  /** The same with other arguments. */
  withArguments(args: readonly string[]): Input {
    return new Input(args, this.#values, this.#flags);
  }

  /** Returns true if the switch, or the flag with any value, was given. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | null {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : null;
  }

  list(name: string): string[] {
    const value = this.#values.get(name);
    if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
    return typeof value === 'string' ? [value] : [];
  }

  number(name: string): number | null {
    const text = this.text(name);
    return text === null ? null : Number(text);
  }

  durationMs(name: string): number | null {
    const text = this.text(name);
    return text === null ? null : parseDurationMs(text);
  }

  /** Returns a point in time: the given one, or the one before the given duration. */
  time(name: string, nowMs = Date.now()): string | null {
    const text = this.text(name);
    if (text === null) return null;
    const agoMs = parseDurationMs(text);
    return new Date(agoMs === null ? instantMs(text) : nowMs - agoMs).toISOString();
  }

  /** One of the words of the flag's choices. */
  choice<Word extends string>(name: string, words: readonly Word[]): Word | null {
    const text = this.text(name);
    return words.find((word) => word === text) ?? null;
  }

  /** The value of a flag without which the command cannot work. */
  required(name: string): string {
    const text = this.text(name);
    if (text === null) throw usageError(`--${name} is required.`);
    return text;
  }

  /** The first argument, which the specification demands. */
  get first(): string {
    const [first] = this.args;
    if (first === undefined) throw usageError('An argument is missing.');
    return first;
  }

  #check(flag: Flag): void {
    for (const text of this.list(flag.name)) {
      const wanted = faultOf(flag, text);
      if (wanted !== null) throw usageError(`--${flag.name} ${wanted}, not "${text}".`);
    }
  }
}

/** Returns the requirement of the flag that the text does not meet. */
function faultOf({ kind, choices, min, max }: Flag, text: string): string | null {
  if (choices !== undefined && !choices.includes(text)) return `must be one of ${choices.join(', ')}`;
  switch (kind) {
    case 'integer':
    case 'number': {
      const number = Number(text);
      const isRight =
        text.trim() !== '' && (kind === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number));
      if (!isRight) return kind === 'integer' ? 'is a whole number' : 'is a number';
      if ((min !== undefined && number < min) || (max !== undefined && number > max))
        return max === undefined ? `is at least ${min}` : `is from ${min} to ${max}`;
      return null;
    }
    case 'duration':
      return parseDurationMs(text) === null ? 'is a duration such as 30s, 15m, 24h or 7d' : null;
    case 'time':
      return parseDurationMs(text) === null && Number.isNaN(instantMs(text))
        ? 'is a time such as 2026-05-01T10:00:00Z, or how long ago, such as 24h'
        : null;
    default:
      return null;
  }
}
