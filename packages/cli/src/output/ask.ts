import type { CliError } from '../cli-error.ts';
import { usageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import { visibleLine } from './visible-text.ts';

/**
 * The questions of commands. They are written to standard error, and only if a user can answer; loaded when one is
 * asked.
 */

const NOTHING_CHANGED = 'Nothing was changed.';

type Prompts = typeof import('@clack/prompts');
type Streams = { output: NodeJS.WriteStream; signal: AbortSignal };

/**
 * Shows a prompt until it is answered. Esc and Ctrl-D are no; Ctrl-C, which is a key like any other while a prompt is
 * open, is the interruption that it is everywhere else.
 */
async function answerOf<Answer>(
  { interrupted }: Context,
  show: (prompts: Prompts, streams: Streams) => Promise<Answer | Prompts['CANCEL_SYMBOL']>,
): Promise<Answer> {
  const prompts = await import('@clack/prompts');
  const ended = new AbortController();
  const onKey = (_: unknown, key: { ctrl?: boolean; name?: string } | undefined) => {
    if (key?.ctrl !== true) return;
    if (key.name === 'c') process.emit('SIGINT');
    if (key.name === 'd') ended.abort();
  };
  process.stdin.on('keypress', onKey);
  try {
    const signal = AbortSignal.any([interrupted, ended.signal]);
    const answer = await show(prompts, { output: process.stderr, signal });
    if (prompts.isCancel(answer)) throw usageError(NOTHING_CHANGED);
    return answer;
  } finally {
    process.stdin.off('keypress', onKey);
  }
}

/** Yes or no; `--yes` is yes. Without a terminal and without `--yes` it is refused. */
export async function confirm(context: Context, question: string, refusal: string): Promise<void> {
  const { terminal, globals } = context;
  if (globals.yes) return;
  if (!terminal.isInteractive) throw usageError(`${refusal} Nothing was changed.`, 'confirm it with --yes');
  const answer = await answerOf(context, ({ confirm: ask }, streams) =>
    ask({ message: visibleLine(question), initialValue: false, ...streams }),
  );
  if (!answer) throw usageError(NOTHING_CHANGED);
}

/** Asks for one of several; `otherwise` returns the error about the missing value if no question can be asked. */
export async function askChoice<Value extends string>(
  context: Context,
  question: string,
  options: readonly { value: Value; label: string }[],
  otherwise: () => CliError,
): Promise<Value> {
  if (!context.terminal.isInteractive) throw otherwise();
  const answer = await answerOf(context, ({ select }, streams) =>
    select<string>({
      message: visibleLine(question),
      options: options.map(({ value, label }) => ({ value: String(value), label: visibleLine(label) })),
      ...streams,
    }),
  );
  const chosen = options.find(({ value }) => value === answer);
  if (chosen === undefined) throw usageError(NOTHING_CHANGED);
  return chosen.value;
}

/** A line of text. */
export async function askText(
  context: Context,
  question: string,
  otherwise: () => CliError,
): Promise<string> {
  if (!context.terminal.isInteractive) throw otherwise();
  const answer = await answerOf(context, ({ text }, streams) =>
    text({ message: visibleLine(question), ...streams }),
  );
  return answer.trim();
}

/** A secret, without showing what is typed. */
export async function askSecret(
  context: Context,
  question: string,
  otherwise: () => CliError,
): Promise<string> {
  if (!context.terminal.isInteractive) throw otherwise();
  const answer = await answerOf(context, ({ password }, streams) =>
    password({ message: visibleLine(question), ...streams }),
  );
  return answer.trim();
}

/** Everything on standard input. */
export async function readStandardInput(bytesMax = 1_048_576): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > bytesMax) throw usageError(`Standard input has more than ${bytesMax} bytes.`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}
