import type { CommandGroup, CommandSpec } from './command.ts';
import { COMMAND_GROUPS, FIRST_DAY } from './command-table.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import type { Flag } from './flag.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { HELP_TOPICS } from './help-topics.ts';

const INDENT = '  ';
const GAP = 3;

/** Returns the output of `culprit` alone and `culprit --help`. */
export function overview(isWhole: boolean): string {
  const lines = ['Errors in your applications, where you work.', '', 'Usage: culprit <command> [flags]', ''];
  if (!isWhole) {
    const rows = FIRST_DAY.map((path): [string, string] => [path, specOf(path)?.says ?? '']);
    return text([
      ...lines,
      ...twoColumns(rows),
      '',
      'All commands: culprit --help. One of them: culprit <command> --help.',
    ]);
  }
  for (const heading of ['Start', 'Look', 'Act', 'Send', 'Set up', 'Tools'] as const) {
    const groups = COMMAND_GROUPS.filter((group) => group.heading === heading);
    const rows = groups.flatMap((group): [string, string][] =>
      group.noun === null
        ? group.commands.map((spec) => [
            `${spec.path}${spec.arguments === undefined ? '' : ` ${spec.arguments}`}`,
            spec.says,
          ])
        : [[group.noun, group.says]],
    );
    lines.push(`${heading}:`, ...twoColumns(rows), '');
  }
  lines.push(`More: culprit help ${Object.keys(HELP_TOPICS).join('|')}`);
  return text(lines);
}

/** The commands of a noun. */
export function groupHelp({ noun, says, commands }: CommandGroup): string {
  const rows = commands.map((spec): [string, string] => [
    `${spec.path.slice((noun?.length ?? -1) + 1)} ${spec.arguments ?? ''}`.trim(),
    spec.says,
  ]);
  const examples = commands.slice(0, 2).map(({ examples: [first] }) => `${INDENT}culprit ${first}`);
  return text([
    ...(says === '' ? [] : [`${capital(says)}.`, '']),
    `Usage: culprit ${noun} <command> [flags]`,
    '',
    'Examples:',
    ...examples,
    '',
    'Commands:',
    ...twoColumns(rows),
  ]);
}

/** Purpose, usage, examples, flags and special exit codes of a command. */
export function commandHelp(spec: CommandSpec): string {
  const flags = spec.flags ?? [];
  return text([
    `${capital(spec.says)}.`,
    '',
    `Usage: culprit ${spec.path}${spec.arguments === undefined ? '' : ` ${spec.arguments}`} [flags]`,
    '',
    'Examples:',
    ...spec.examples.map((example) => `${INDENT}culprit ${example}`),
    ...(flags.length === 0 ? [] : ['', 'Flags:', ...twoColumns(flags.map(flagRow))]),
    '',
    'Flags of every command:',
    ...twoColumns(GLOBAL_FLAGS.map(flagRow)),
    ...(spec.exits === undefined
      ? []
      : ['', 'Exit codes:', ...twoColumns(Object.entries(spec.exits).map(([code, says]) => [code, says]))]),
  ]);
}

/** A page of `culprit help TOPIC`. */
export function topicHelp(topic: string): string | null {
  if (topic === 'exit-codes') {
    return text([
      'Exit codes of every command:',
      '',
      ...twoColumns(EXIT_MEANINGS.map(([code, says]) => [String(code), says])),
    ]);
  }
  const topics: Readonly<Record<string, readonly string[]>> = HELP_TOPICS;
  const lines = Object.hasOwn(topics, topic) ? topics[topic] : undefined;
  return lines === undefined ? null : text([...lines]);
}

/** A flag and its words, as help and reference show it. */
export function flagRow({
  name,
  short,
  value,
  choices,
  standard,
  isRepeatable,
  says,
}: Flag): [string, string] {
  const left = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
  const more = [
    ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(standard === undefined ? [] : [`default ${standard}`]),
    ...(isRepeatable === true ? ['may be repeated'] : []),
  ];
  return [left, more.length === 0 ? says : `${says} (${more.join('; ')})`];
}

export function specOf(path: string): CommandSpec | undefined {
  return COMMAND_GROUPS.flatMap((group) => group.commands).find((spec) => spec.path === path);
}

function twoColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(34, Math.max(0, ...rows.map(([left]) => left.length)) + GAP);
  return rows.map(([left, right]) =>
    `${INDENT}${left.length < width ? left.padEnd(width) : `${left}${' '.repeat(GAP)}`}${right}`.trimEnd(),
  );
}

function capital(says: string): string {
  return `${says.charAt(0).toUpperCase()}${says.slice(1)}`;
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
