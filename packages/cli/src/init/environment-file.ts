import { join } from 'node:path';
import { usageError } from '../cli-error.ts';
import { readIfThere } from '../config/json-file.ts';
import { isTracked } from '../records/print-secret.ts';
import { isIgnored } from './git.ts';

const FILES = ['.env.local', '.env'] as const;

/** The file for the token: one that git leaves out, and a line for git when there is none yet. */
interface EnvironmentFile {
  path: string;
  /** Null when git leaves the file out already. */
  ignoreLine: string | null;
}

/** Chooses among the files that are usual; one that is there goes before one that is not. */
export function chooseEnvironmentFile(directory: string): EnvironmentFile {
  const ignored = FILES.filter((name) => isIgnored(directory, name));
  const path = ignored.find((name) => readIfThere(join(directory, name)) !== null) ?? ignored[0];
  if (path !== undefined) return { path, ignoreLine: null };
  const [standard] = FILES;
  if (isTracked(join(directory, standard))) {
    throw usageError(
      `${standard} is tracked by git, so no secret is written to it.`,
      `untrack it (git rm --cached ${standard}), or let git ignore .env`,
    );
  }
  return { path: standard, ignoreLine: standard };
}

/** The value of a variable in the text of such a file. */
export function valueIn(text: string, name: string): string | null {
  const line = text.split('\n').find((each) => each.startsWith(`${name}=`));
  if (line === undefined) return null;
  const value = line.slice(name.length + 1).trim();
  return value === '' ? null : value.replace(/^(['"])(.*)\1$/, '$2');
}

/** The text with a line for each variable that has no value yet. */
export function withVariables(text: string, values: Readonly<Record<string, string>>): string {
  const missing = Object.entries(values).filter(([name]) => valueIn(text, name) === null);
  const names = new Set(missing.map(([name]) => name));
  const kept = text.split('\n').filter((line) => !names.has(line.split('=')[0] ?? ''));
  const before = kept.join('\n');
  const lines = missing.map(([name, value]) => `${name}=${value}\n`).join('');
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${lines}`;
}

/** The text of a list of ignored files with one more line. */
export function withIgnored(text: string, line: string): string {
  if (text.split('\n').some((each) => each.trim() === line)) return text;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}
