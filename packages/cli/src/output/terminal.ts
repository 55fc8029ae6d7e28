import { styleText } from 'node:util';
import { maskSecrets } from './secrets.ts';

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

const WIDTH_WITHOUT_TERMINAL = 80;

/** The settings of the streams (docs/contract/command-line.md 2.1). */
interface TerminalOptions {
  environment: Readonly<Record<string, string | undefined>>;
  /** `--color`, `--no-color`, or neither. */
  color: boolean | null;
  noInput: boolean;
}

/** The three standard streams. Nothing is written but through here, so that no secret gets out by accident. */
export class Terminal {
  readonly isOutTerminal = process.stdout.isTTY === true;
  readonly isErrTerminal = process.stderr.isTTY === true;
  readonly isInTerminal = process.stdin.isTTY === true;
  /** True if a question can be asked and answered. */
  readonly isInteractive: boolean;
  readonly #color: { out: boolean; err: boolean };

  constructor({ environment, color, noInput }: TerminalOptions) {
    const isDumb = environment.TERM === 'dumb';
    const isSet = (name: string) => (environment[name] ?? '') !== '';
    this.isInteractive =
      this.isInTerminal &&
      this.isErrTerminal &&
      !isDumb &&
      !noInput &&
      !isSet('CULPRIT_NO_INPUT') &&
      !isSet('CI');
    const decide = (isTerminal: boolean): boolean => {
      if (color !== null) return color;
      if (isSet('NO_COLOR') || isDumb) return false;
      return isSet('FORCE_COLOR') && environment.FORCE_COLOR !== '0' ? true : isTerminal;
    };
    this.#color = { out: decide(this.isOutTerminal), err: decide(this.isErrTerminal) };
  }

  /** Columns of a line on standard output. */
  get width(): number {
    const columns = process.stdout.columns ?? 0;
    return columns > 0 ? columns : WIDTH_WITHOUT_TERMINAL;
  }

  out(text: string): void {
    process.stdout.write(maskSecrets(text));
  }

  err(text: string): void {
    process.stderr.write(maskSecrets(text));
  }

  /** Writes a secret, for the few commands whose purpose it is (docs/contract/command-line.md 3). */
  outSecret(text: string): void {
    process.stdout.write(text);
  }

  style(style: Style, text: string, stream: 'out' | 'err' = 'out'): string {
    return this.#color[stream] ? styleText(style, text, { validateStream: false }) : text;
  }
}
