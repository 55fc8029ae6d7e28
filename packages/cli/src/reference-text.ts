import type { CommandSpec } from './command.ts';
import { COMMAND_GROUPS } from './command-table.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import type { Flag } from './flag.ts';
import { GLOBAL_FLAGS } from './global-flags.ts';
import { flagRow } from './help.ts';

/** The reference of every command as Markdown, made of the table that the parser reads. */
export function referenceText(): string {
  const headings = [...new Set(COMMAND_GROUPS.map(({ heading }) => heading))];
  const parts = [
    '# Reference of the command line',
    'Made from the table of commands by `node scripts/cli/reference.ts`. How the commands are used is in [command-line.md](command-line.md).',
    '## Flags of every command',
    flagTable(GLOBAL_FLAGS),
    '## Exit codes',
    [
      '| Code | Meaning |',
      '| --- | --- |',
      ...EXIT_MEANINGS.map(([code, says]) => `| ${code} | ${says} |`),
    ].join('\n'),
  ];
  for (const heading of headings) {
    parts.push(`## ${heading}`);
    for (const group of COMMAND_GROUPS.filter((each) => each.heading === heading)) {
      for (const spec of group.commands) parts.push(...commandParts(spec));
    }
  }
  return `${parts.join('\n\n')}\n`;
}

function commandParts(spec: CommandSpec): string[] {
  const usage = `culprit ${spec.path}${spec.arguments === undefined ? '' : ` ${spec.arguments}`}`;
  const flags = spec.flags ?? [];
  const exits = Object.entries(spec.exits ?? {}).map(([code, says]) => `exit ${code}: ${says}`);
  return [
    `### ${spec.path}`,
    `${spec.says.charAt(0).toUpperCase()}${spec.says.slice(1)}. \`${usage}\``,
    ['```sh', ...spec.examples.map((example) => `culprit ${example}`), '```'].join('\n'),
    ...(flags.length === 0 ? [] : [flagTable(flags)]),
    ...(exits.length === 0 ? [] : [`Special: ${exits.join('; ')}.`]),
  ];
}

function flagTable(flags: readonly Flag[]): string {
  const rows = flags.map((flag) => {
    const [left, says] = flagRow(flag);
    return `| \`${left.trim()}\` | ${says.replaceAll('|', '\\|')} |`;
  });
  return ['| Flag | Meaning |', '| --- | --- |', ...rows].join('\n');
}
