import { spawn } from 'node:child_process';
import { builtCli, type CliHome, environmentOf } from './built-cli.ts';

/** A program at a pseudo terminal. */
export interface Screen {
  /** Everything that was written, with its escape codes. */
  text(): string;
  type(keys: string): void;
  /** Exit code of the program. */
  ended: Promise<number>;
}

export const KEYS = {
  interrupt: '\u0003',
  endOfInput: '\u0004',
  escape: '\u001b',
  enter: '\r',
  down: '\u001b[B',
  tab: '\t',
};

interface TerminalOptions {
  environment?: Readonly<Record<string, string>>;
  /** Below the home. */
  directory?: string;
}

/**
 * Runs a line of the shell at a pseudo terminal of `script`, which comes with util-linux. The terminal has 100 columns
 * and 30 rows, for `script` gives one without a size.
 */
export function startAtTerminal(home: CliHome, line: string, options: TerminalOptions = {}): Screen {
  const directory = options.directory === undefined ? home.path : `${home.path}/${options.directory}`;
  const child = spawn('script', ['-qefc', `stty cols 100 rows 30; ${line}`, '/dev/null'], {
    cwd: directory,
    env: { ...environmentOf(home.path, options.environment), SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stdin.on('error', () => {});
  return {
    text: () => text,
    type: (keys) => void child.stdin.write(keys),
    ended: new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1))),
  };
}

/** Runs the program at a pseudo terminal. */
export async function atTerminal(
  home: CliHome,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Screen> {
  return startAtTerminal(home, await cliLine(args), { environment });
}

/** The built program with these arguments, as a line of the shell. */
export async function cliLine(args: readonly string[]): Promise<string> {
  return [process.execPath, await builtCli(), ...args].map(quoted).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
