import { CliError } from './cli-error.ts';
import type { Context } from './context.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import type { Globals } from './globals.ts';
import { Input } from './input.ts';
import { Terminal } from './output/terminal.ts';
import { visibleLine } from './output/visible-text.ts';

/** The time for which a command can clean up after an interruption. */
const CLEAN_UP_MS = 2000;
const TIMEOUT_SECONDS_DEFAULT = 30;

/** Runs one command line and sets the exit code of the process. */
export async function runProgram(args: readonly string[]): Promise<void> {
  // If the reader of the output stops reading, that is no failure.
  process.stdout.on('error', endQuietly);
  process.stderr.on('error', endQuietly);
  const environment = process.env;
  let terminal = new Terminal({
    environment,
    color: args.includes('--no-color') ? false : null,
    noInput: false,
  });
  const interruption = interruptions();
  const wantsJson = args.includes('--json');
  let globals: Globals | null = null;
  // A failure that no code handles is a defect too: it gets a message, and no stack, which may contain a secret.
  process.on('uncaughtException', (error) => {
    process.exit(report(error, terminal, wantsJson, globals?.verbose ?? false));
  });
  try {
    if (args[0] === 'complete' && args[1] === '--') {
      const { complete } = await import('./commands/completion/complete.ts');
      complete(environment, args.slice(2), (text) => terminal.out(text));
      return;
    }
    const { parseCommandLine } = await import('./parse.ts');
    const parsed = parseCommandLine(args, terminal);
    if (parsed.kind === 'answered') {
      process.exitCode = parsed.exit;
      return;
    }
    const { command, positionals, values } = parsed;
    const input = new Input(positionals, values, [...(command.flags ?? []), ...GLOBAL_FLAGS]);
    const color = input.has('no-color') ? false : input.has('color') ? true : null;
    terminal = new Terminal({ environment, color, noInput: input.has('no-input') });
    globals = globalsOf(input);
    const { createContext } = await import('./context.ts');
    const context: Context = createContext({
      terminal,
      globals,
      environment,
      // npm changes to the directory of the package; what matters is where the command was called.
      directory:
        environment.CULPRIT_FROM_WORKSPACE === '1' ? (environment.INIT_CWD ?? process.cwd()) : process.cwd(),
      interrupted: interruption.signal,
    });
    const isLocal = input.args.length > 0 && input.args.every((each) => each.startsWith('local:'));
    const chosen =
      isLocal && command.local !== undefined
        ? (await import('./local/local-counterpart.ts')).localCounterpart(command, input)
        : command;
    const run = await chosen.load();
    const exit = await run(context, input);
    process.exitCode = interruption.exit() ?? exit;
  } catch (error) {
    process.exitCode = interruption.exit() ?? report(error, terminal, wantsJson, globals?.verbose ?? false);
  } finally {
    interruption.end();
  }
}

function globalsOf(input: Input): Globals {
  return {
    json: input.has('json'),
    fields:
      input
        .text('fields')
        ?.split(',')
        .map((field) => field.trim()) ?? null,
    quiet: input.has('quiet'),
    verbose: input.has('verbose'),
    yes: input.has('yes'),
    localTime: input.has('local-time'),
    timeoutMs: (input.number('timeout') ?? TIMEOUT_SECONDS_DEFAULT) * 1000,
    url: input.text('url'),
    profile: input.text('profile'),
    project: input.text('project'),
  };
}

/** Says what went wrong, in words or as JSON. @returns the exit code */
function report(error: unknown, terminal: Terminal, isJson: boolean, isVerbose: boolean): ExitCode {
  const failure =
    error instanceof CliError
      ? error
      : new CliError(`Internal error: ${error instanceof Error ? error.message : String(error)}`, {
          exit: EXIT.failed,
          code: 'defect',
          hint: 'please report it with the command line and the version (culprit --version)',
        });
  const { message, hint, code, status, exit, requestId } = failure;
  if (isJson) {
    terminal.err(
      `${JSON.stringify({ error: { code, message, hint, status, exit, request_id: requestId } })}\n`,
    );
    return exit;
  }
  terminal.err(`${terminal.style('red', 'culprit:', 'err')} ${visibleLine(message)}\n`);
  if (hint !== null) terminal.err(`  → ${visibleLine(hint)}\n`);
  if (isVerbose) terminal.err(`  code ${code}, status ${status ?? '-'}, request ${requestId ?? '-'}\n`);
  return exit;
}

function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.failed);
}

/** The first signal requests the command to end, which it does in two seconds; the second one ends it immediately. */
function interruptions(): { signal: AbortSignal; exit: () => ExitCode | null; end: () => void } {
  const controller = new AbortController();
  let exit: ExitCode | null = null;
  const restore = () => {
    if (process.stderr.isTTY) process.stderr.write('\u001b[?25h');
  };
  const stop = (code: ExitCode) => () => {
    if (exit !== null) {
      restore();
      process.exit(code);
    }
    exit = code;
    controller.abort();
    setTimeout(() => {
      restore();
      process.exit(code);
    }, CLEAN_UP_MS).unref();
  };
  const onInterrupt = stop(EXIT.interrupted);
  const onTerminate = stop(EXIT.terminated);
  process.on('SIGINT', onInterrupt);
  process.on('SIGTERM', onTerminate);
  return {
    signal: controller.signal,
    exit: () => exit,
    end() {
      process.off('SIGINT', onInterrupt);
      process.off('SIGTERM', onTerminate);
    },
  };
}
