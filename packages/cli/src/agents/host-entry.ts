import { realpathSync } from 'node:fs';
import { hostCommand, type PackageSource } from '@culprit/contract/setup/install-lines';
import { usageError } from '../cli-error.ts';
import { isObject } from '../config/json-file.ts';
import { visibleLine } from '../output/visible-text.ts';
import type { HostFile } from './agent-hosts.ts';

/**
 * The command with which a host starts the server. It contains no secret: the program finds its credential as every
 * command does.
 */
export interface HostEntry {
  command: string;
  args: readonly string[];
}

/**
 * The program as the server hands it out; without such a server the one that runs now. Never a name, which a stranger
 * could register.
 * @param flags of `culprit mcp`, such as `--profile work`
 */
export function hostEntry(source: PackageSource | null, flags: readonly string[]): HostEntry {
  const own = ['mcp', ...flags];
  if (source === null)
    return { command: process.execPath, args: [realpathSync(process.argv[1] ?? ''), ...own] };
  const [command, args] = hostCommand(source, own);
  return { command, args };
}

const NAME = 'culprit';

/** The content of a host's file with the entry in it. @param before null where there is no file */
export function withEntry(
  { path, key, format, more }: HostFile,
  before: string | null,
  entry: HostEntry,
): string {
  if (format === 'toml') return withTable(path, `${key}.${NAME}`, before ?? '', entry);
  const content = before === null || before.trim() === '' ? {} : parsed(path, before);
  const servers = content[key] ?? {};
  if (!isObject(servers)) throw byHand(path, `"${key}" is not an object`);
  const known = servers[NAME] ?? {};
  if (!isObject(known)) throw byHand(path, `"${key}.${NAME}" is not an object`);
  const changed = { ...content, [key]: { ...servers, [NAME]: { ...more, ...known, ...entry } } };
  return `${JSON.stringify(changed, null, indentOf(before ?? ''))}\n`;
}

function parsed(path: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw byHand(path, 'is not plain JSON');
  }
  if (!isObject(value)) throw byHand(path, 'is not an object');
  return value;
}

/** Adds a separate table after the existing text; TOML that a person wrote is not parsed. */
function withTable(path: string, name: string, before: string, { command, args }: HostEntry): string {
  const list = args.map((arg) => JSON.stringify(arg)).join(', ');
  const table = `[${name}]\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\n`;
  if (`${before}\n`.includes(table)) return before;
  const heads = before.split('\n').map((line) => line.replaceAll(/[\s"']/g, ''));
  if (heads.some((line) => line.startsWith(`[${name}]`) || line.startsWith(`[${name}.`))) {
    throw byHand(path, `has another table ${name} already`);
  }
  return before.trim() === '' ? table : `${before.trimEnd()}\n\n${table}`;
}

/** Returns the indent that the file already has. */
function indentOf(text: string): string | number {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? 2;
}

function byHand(path: string, why: string) {
  return usageError(
    `${visibleLine(path)} ${why}, so it is left unchanged.`,
    'add the entry by hand; without --write it is printed',
  );
}
