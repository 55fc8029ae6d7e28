import { Command, CommanderError, Option } from 'commander';
import { usageError } from './cli-error.ts';
import type { CommandSpec } from './command.ts';
import { COMMAND_GROUPS } from './command-table.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import type { Flag } from './flag.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { commandHelp, groupHelp, overview, topicHelp } from './help.ts';
import type { Terminal } from './output/terminal.ts';

/** A command line that was understood, or one that the parser answered itself: help. */
export type Parsed =
  | { kind: 'answered'; exit: ExitCode }
  | {
      kind: 'command';
      command: CommandSpec;
      positionals: readonly string[];
      values: ReadonlyMap<string, unknown>;
    };

/** Parses a command line by the table of commands. Throws a usage error with the nearest word. */
export function parseCommandLine(args: readonly string[], terminal: Terminal): Parsed {
  const [first] = args;
  if (first === undefined) {
    terminal.out(overview(false));
    return { kind: 'answered', exit: EXIT.ok };
  }
  if (args.length === 1 && (first === '--help' || first === '-h')) {
    terminal.out(overview(true));
    return { kind: 'answered', exit: EXIT.ok };
  }
  if (first === 'help' && args.length === 2) {
    const topic = topicHelp(args[1] ?? '');
    if (topic !== null) {
      terminal.out(topic);
      return { kind: 'answered', exit: EXIT.ok };
    }
  }
  let parsed: Parsed | null = null;
  let hasHelp = false;
  const program = buildProgram(
    (first === 'help' ? args[1] : first) ?? '',
    (command, positionals, values) => {
      parsed = { kind: 'command', command, positionals, values };
    },
    (text) => {
      hasHelp = true;
      terminal.out(text);
    },
  );
  try {
    program.parse([...(first === 'help' ? [...args.slice(1), '--help'] : args)], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (hasHelp || error.code === 'commander.helpDisplayed') return { kind: 'answered', exit: EXIT.ok };
    if (error.code === 'commander.help') return groupAnswer(args, terminal);
    throw usageError(...wordsOf(error.message, args));
  }
  return parsed ?? groupAnswer(args, terminal);
}

/** A noun alone: its commands, as a mistake. */
/** The parser takes several only as the last argument, so that they hold what follows them: `<REF...> <WHO>`. */
function parsedArguments(words: string): string {
  return words.replace(/(\.\.\.>) .*/, '$1');
}

function groupAnswer(args: readonly string[], terminal: Terminal): Parsed {
  const group = COMMAND_GROUPS.find(
    ({ noun, aliases }) => noun === args[0] || aliases?.includes(args[0] ?? ''),
  );
  terminal.err(group === undefined ? overview(true) : groupHelp(group));
  return { kind: 'answered', exit: EXIT.usage };
}

/** Other words for a last word; a command can have its own instead. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['list', ['ls']],
  ['delete', ['rm']],
  ['remove', ['rm']],
]);

type Found = (
  command: CommandSpec,
  positionals: readonly string[],
  values: ReadonlyMap<string, unknown>,
) => void;

/** The parser of the commands that begin with a word. Of the others it has the names, for suggestions. */
function buildProgram(first: string, found: Found, writeOut: (text: string) => void): Command {
  const program = new Command('culprit')
    .configureOutput({ writeOut, writeErr: () => {} })
    .exitOverride()
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError(true);
  program.helpOption('-h, --help').configureHelp({ formatHelp: () => overview(true) });
  const parents = new Map<string, Command>();
  const names = new Set<string>();
  for (const group of COMMAND_GROUPS) {
    if (group.noun !== null) {
      const parent = prepare(program.command(group.noun));
      parent.configureHelp({ formatHelp: () => groupHelp(group) });
      for (const alias of group.aliases ?? []) parent.alias(alias);
      parents.set(group.noun, parent);
    }
    const words = [group.noun, ...(group.aliases ?? [])];
    for (const spec of group.commands) {
      const isMeant = group.noun === null ? spec.path.split(' ')[0] === first : words.includes(first);
      if (isMeant) addCommand(program, parents, spec, found);
      else if (group.noun === null) names.add(spec.path.split(' ')[0] ?? '');
    }
  }
  for (const name of names) program.command(name);
  return program;
}

function addCommand(program: Command, parents: Map<string, Command>, spec: CommandSpec, found: Found): void {
  const words = spec.path.split(' ');
  const name = words.pop() ?? '';
  let parent = program;
  for (let at = 1; at <= words.length; at += 1) {
    const path = words.slice(0, at).join(' ');
    const known = parents.get(path);
    const next = known ?? prepare(parent.command(words[at - 1] ?? ''));
    if (known === undefined) {
      next.configureHelp({ formatHelp: () => pathHelp(path) });
      parents.set(path, next);
    }
    // The arguments after the last word belong to the command that it names, also if words before it are a command too.
    parent = next.enablePositionalOptions();
  }
  const command = prepare(
    parent.command(spec.arguments === undefined ? name : `${name} ${parsedArguments(spec.arguments)}`),
  );
  for (const alias of spec.aliases ?? ALIASES.get(name) ?? []) command.alias(alias);
  command.configureHelp({ formatHelp: () => commandHelp(spec) });
  parents.set(spec.path, command);
  for (const flag of [...(spec.flags ?? []), ...GLOBAL_FLAGS]) command.addOption(optionOf(flag));
  command.action((...given: unknown[]) => {
    const positionals = given
      .slice(0, -2)
      .flat()
      .filter((each) => typeof each === 'string');
    const options = command.opts<Record<string, unknown>>();
    const values = new Map<string, unknown>();
    for (const flag of [...(spec.flags ?? []), ...GLOBAL_FLAGS]) {
      const value = options[keyOf(flag.name)];
      if (value !== undefined && value !== false) values.set(flag.name, value);
    }
    found(spec, positionals, values);
  });
}

function prepare(command: Command): Command {
  return command.exitOverride().helpOption('-h, --help').helpCommand(false).showSuggestionAfterError(true);
}

function pathHelp(path: string): string {
  const commands = COMMAND_GROUPS.flatMap((group) => group.commands).filter((spec) =>
    spec.path.startsWith(`${path} `),
  );
  return groupHelp({ noun: path, says: '', heading: 'Tools', commands });
}

function optionOf({ name, short, value, isRepeatable }: Flag): Option {
  const names = short === undefined ? `--${name}` : `-${short}, --${name}`;
  const option = new Option(value === undefined ? names : `${names} <${value}>`);
  // A switch that begins with `no-` would otherwise become the opposite of the rest of its name.
  option.negate = false;
  option.attributeName = () => keyOf(name);
  if (isRepeatable === true) {
    option.argParser<string[]>((text, before) => [...(Array.isArray(before) ? before : []), text]);
  }
  return option;
}

function keyOf(name: string): string {
  return `flag:${name}`;
}

/** The parser's sentence in ours, and the next step. */
function wordsOf(message: string, args: readonly string[]): [string, string] {
  const [, what = message, suggestion] = /^error: (.*?)(?:\n\(Did you mean (.*?)\?\))?$/s.exec(message) ?? [];
  const secret = args.some((each) => each.startsWith('--token') || each.startsWith('--password'));
  if (secret && /unknown option '--(?:token|password)/.test(message)) {
    return [
      'A token cannot be an argument, because others can see arguments in the process list.',
      'echo "$TOKEN" | culprit login --with-token, or set CULPRIT_TOKEN',
    ];
  }
  const words = args.filter((each) => !each.startsWith('-'));
  return [
    `${what.charAt(0).toUpperCase()}${what.slice(1).replace(/'/g, '"')}.`,
    suggestion === undefined ? `culprit ${wordsKnown(words)}--help` : `did you mean ${suggestion}?`,
  ];
}

/** The first word when it is one of ours, so that the help that is named exists. */
function wordsKnown([first = '']: readonly string[]): string {
  const isKnown = COMMAND_GROUPS.some(
    ({ noun, commands }) => noun === first || commands.some(({ path }) => path === first),
  );
  return isKnown ? `${first} ` : '';
}
