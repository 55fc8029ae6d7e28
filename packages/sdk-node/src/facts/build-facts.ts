import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registeredIds, releaseOfBuild } from '../../../sdk-core/src/build-facts.ts';

const MAX_FILES = 20;
const MAX_REMEMBERED = 2_000;
const TAIL_BYTES = 4_096;
const HEAD_BYTES = 2_048;
const COMMENT =
  /^[ \t]*\/\/# debugId=([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})[ \t]*\r?$/gim;
/** The form in which injected lines and bundlers note an id at the beginning of a file. */
const REGISTRATION =
  /_(?:sentryD|d)ebugIds\b[^;]{0,200}?=\s{0,9}["']([0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12})["']/i;
/** The file of a V8 frame: `at name (file:line:column)` or `at file:line:column`; both may have spaces and brackets. */
const FRAME =
  /^\s{1,16}at (?:async )?(?:(?!\/|file:|[A-Za-z]:[\\/])[^\n]{0,500}? \()?([^\s()][^\n]{0,1000}?):\d{1,9}:\d{1,9}\)?$/;

const known = new Map<string, string | null>();

/** The files of the last captured stack with their debug ids, for `getDiagnostics`. */
export let lastDebugIds: Readonly<Record<string, string | null>> = {};

/**
 * Debug ids of the files that stacks name (docs/contract/clients.md 14): those that the files registered when they ran,
 * else those that are written in them. Each file is read once in the life of the process.
 */
export function readDebugIds(stacks: readonly (string | null)[]): Record<string, string> | null {
  const registered = idsOfProcess();
  const files = new Map<string, string | null>();
  for (const line of stacks.flatMap((stack) => stack?.split('\n', 200) ?? [])) {
    const file = FRAME.exec(line)?.[1];
    if (file === undefined || file.startsWith('node:') || files.has(file)) continue;
    if (files.size === MAX_FILES) break;
    files.set(file, registered.get(file) ?? debugIdOf(file));
  }
  lastDebugIds = Object.fromEntries(files);
  const found = [...files].flatMap(([file, id]) => (id === null ? [] : [[file, id] as const]));
  return found.length === 0 ? null : Object.fromEntries(found);
}

/** Global variables are the host's, and may be anything. */
function idsOfProcess(): ReadonlyMap<string, string> {
  try {
    return registeredIds((stack) => {
      for (const line of stack.split('\n', 20)) {
        const file = FRAME.exec(line)?.[1];
        if (file !== undefined) return file;
      }
      return null;
    });
  } catch {
    return new Map();
  }
}

/** The release that the build left in a global variable. */
export function readReleaseOfBuild(): string | null {
  try {
    const release = releaseOfBuild();
    return typeof release === 'string' && release !== '' ? release : null;
  } catch {
    return null;
  }
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
    if (!isAbsolute(path) || !statSync(path).isFile()) return null;
    const { head, tail } = readEnds(path);
    // An inline map puts megabytes behind the comment.
    const id = lastComment(tail) ?? lastComment(head) ?? REGISTRATION.exec(head)?.[1];
    return id?.toLowerCase() ?? null;
  } catch {
    return null;
  }
}

/** The id of the last comment with one; above code it is that of a library that was bundled. */
function lastComment(text: string): string | undefined {
  const comment = [...text.matchAll(COMMENT)].at(-1);
  const behind = comment === undefined ? [] : text.slice(comment.index + comment[0].length).split('\n');
  return behind.every((line) => /^\s*(?:\/\/|\/?\*|$)/.test(line)) ? comment?.[1] : undefined;
}

/** The first and the last bytes of a file. */
function readEnds(path: string): { head: string; tail: string } {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const read = (from: number, length: number) => {
      const bytes = Buffer.alloc(Math.min(size - from, length));
      return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, from));
    };
    return { head: read(0, HEAD_BYTES), tail: read(Math.max(0, size - TAIL_BYTES), TAIL_BYTES) };
  } finally {
    closeSync(descriptor);
  }
}
