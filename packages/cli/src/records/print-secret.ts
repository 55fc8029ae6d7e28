import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { usageError } from '../cli-error.ts';
import { isObject, type JsonObject } from '../config/json-file.ts';
import { writeWhole } from '../config/write-file.ts';
import type { Context } from '../context.ts';
import type { Input } from '../input.ts';
import { printRecord, say } from '../output/print.ts';
import { visibleJson, visibleLine } from '../output/visible-text.ts';
import { rowsOf } from './record-rows.ts';

/** A secret in an answer. */
export interface SecretOfRecord {
  field: string;
  says: string;
  /** Fields by which people know again what has the secret, printed with it. */
  facts?: readonly string[];
}

/** Prints a secret that no later answer holds, or writes it into a file that git does not track. */
export async function printSecretOnce(
  context: Context,
  input: Input,
  answer: JsonObject,
  key: string | undefined,
  { field, says, facts = [] }: SecretOfRecord,
): Promise<void> {
  const { terminal, globals } = context;
  const holder = key === undefined ? answer : answer[key];
  const record = isObject(holder) ? { ...holder } : {};
  const secret = String(record[field] ?? answer[field] ?? '');
  const target = input.text('write-env');
  if (target !== null) {
    const path = writeEnvironmentLine(context.directory, target, secret);
    delete record[field];
    printRecord(context, {
      body: key === undefined ? record : { [key]: record },
      rows: rowsOf(record),
      id: path,
    });
    say(context, `${says} is in ${path}.`);
    return;
  }
  if (!globals.json)
    for (const fact of facts) say(context, visibleLine(`${fact}: ${String(record[fact] ?? '')}`));
  say(context, `${says} is shown once. Keep it secret.`);
  if (globals.json) terminal.outSecret(`${visibleJson(answer, terminal.isOutTerminal ? 2 : undefined)}\n`);
  else terminal.outSecret(`${secret}\n`);
}

/** Adds or changes a line of a file for environment variables, for its owner alone. @returns the path */
function writeEnvironmentLine(
  directory: string,
  target: string,
  value: string,
  standard = 'CULPRIT_PROJECT_TOKEN',
): string {
  const colon = target.lastIndexOf(':');
  const named = colon > 0 && /^[A-Z_][A-Z0-9_]*$/.test(target.slice(colon + 1)) ? colon : target.length;
  const file = target.slice(0, named);
  const name = named === target.length ? standard : target.slice(named + 1);
  const path = resolve(directory, file);
  if (isTracked(path)) {
    throw usageError(
      `${path} is tracked by git, so no secret is written to it.`,
      'choose a file that git ignores, such as .env.local',
    );
  }
  const lines = linesOf(path).filter((line) => !line.startsWith(`${name}=`));
  writeWhole(path, `${[...lines, `${name}=${value}`].join('\n')}\n`);
  return path;
}

function linesOf(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text === '' ? [] : text.replace(/\n$/, '').split('\n');
  } catch {
    return [];
  }
}

/** Returns true if git has the file in its index. */
export function isTracked(path: string): boolean {
  try {
    execFileSync('git', ['ls-files', '--error-unmatch', '--', basename(path)], {
      cwd: dirname(path),
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}
