import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_FILES = 20;
const MAX_REMEMBERED = 2_000;
const TAIL_BYTES = 1_024;
const COMMENT = /^\/\/# debugId=([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})[ \t]*$/gim;
/** The file of a V8 frame: `at name (file:line:column)` or `at file:line:column`. */
const FRAME = /^\s{1,16}at (?:[^\n]{0,500}?\()?((?:file:\/\/)?[^\s()][^()\n]{0,1000}?):\d{1,9}:\d{1,9}\)?$/;

const known = new Map<string, string | null>();

/**
 * Debug ids of the files that a stack names, from the comment at their end (docs/contract/clients.md 14). Each file is
 * read once in the life of the process.
 */
export function readDebugIds(stack: string): Record<string, string> | null {
  const found: [string, string][] = [];
  const files = new Set<string>();
  for (const line of stack.split('\n', 200)) {
    const file = FRAME.exec(line)?.[1];
    if (file === undefined || file.startsWith('node:') || files.has(file)) continue;
    if (files.size === MAX_FILES) break;
    files.add(file);
    const id = debugIdOf(file);
    if (id !== null) found.push([file, id]);
  }
  return found.length === 0 ? null : Object.fromEntries(found);
}

function debugIdOf(file: string): string | null {
  const remembered = known.get(file);
  if (remembered !== undefined) return remembered;
  const id = readDebugId(file);
  if (known.size < MAX_REMEMBERED) known.set(file, id);
  return id;
}

function readDebugId(file: string): string | null {
  try {
    const path = file.startsWith('file://') ? fileURLToPath(file) : file;
    if (!isAbsolute(path)) return null;
    const tail = readTail(path);
    return tail === null ? null : ([...tail.matchAll(COMMENT)].at(-1)?.[1]?.toLowerCase() ?? null);
  } catch {
    return null;
  }
}

function readTail(path: string): string | null {
  if (!statSync(path).isFile()) return null;
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('latin1', 0, read);
  } finally {
    closeSync(descriptor);
  }
}
