import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { splitBatchObjects } from '../../src/pipeline/stored-events/split-objects.ts';
import type { TestCulprit } from '../support/culprit.ts';

/** Something that only its holder and whoever it is for may have. */
export interface Secret {
  name: string;
  /** Keys are bytes, everything else is text. */
  value: string | Buffer;
}

/** A place that was searched, such as a table, a file or the log, and everything that stands there. */
export interface Haystack {
  name: string;
  text: string;
}

/** Six digits stand in many numbers; a code is those that stand alone. */
const CODE = /^\d{6}$/;

/** The secrets that stand in a text in any form: plain, hexadecimal, base64 from any byte on, escaped, in any case. */
export function secretsIn(text: string, secrets: readonly Secret[]): string[] {
  const folded = text.toLowerCase();
  return secrets
    .filter(({ value }) => {
      const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value, 'utf8');
      if (folded.includes(bytes.toString('hex'))) return true;
      if (base64Forms(bytes).some((form) => text.includes(form))) return true;
      if (Buffer.isBuffer(value)) return false;
      if (CODE.test(value)) return new RegExp(`(?<![0-9A-Za-z.])${value}(?![0-9A-Za-z])`).test(text);
      return [value, encodeURIComponent(value)].some((form) => folded.includes(form.toLowerCase()));
    })
    .map(({ name }) => name);
}

/** Where secrets stand: `place: secret`. */
export function findSecrets(haystacks: readonly Haystack[], secrets: readonly Secret[]): string[] {
  return haystacks.flatMap(({ name, text }) =>
    secretsIn(text, secrets).map((secret) => `${name}: ${secret}`),
  );
}

/**
 * What base64 makes of the bytes wherever they begin in a longer text: three ways to fall into groups of three. The
 * characters at both ends depend on neighbours and are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  const shifted = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  return [...shifted, ...shifted.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))];
}

/** Every row of every table, bytes as hexadecimal digits. */
export async function readTables(culprit: TestCulprit): Promise<Haystack[]> {
  const tables = await culprit.database.query<{ name: string }>({
    name: 'test-all-tables',
    text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
        and c.relkind in ('r', 'p', 'm') and not c.relispartition order by 1`,
  });
  const haystacks: Haystack[] = [];
  for (const { name } of tables) {
    const rows = await culprit.database.query<{ row: string }>({
      name: `test-all-${name}`,
      text: `select row_to_json(t)::text as row from "${name}" t`,
    });
    haystacks.push({ name: `table ${name}`, text: rows.map(({ row }) => row).join('\n') });
  }
  return haystacks;
}

const RAW_OBJECT_MAGIC = 'CULPRAW1';

/** Every file of the object store: as it is, and with what is compressed in it. */
export async function readObjects(culprit: TestCulprit): Promise<Haystack[]> {
  const entries = await readdir(culprit.objectDirectory, { recursive: true, withFileTypes: true });
  const haystacks: Haystack[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const isRaw = bytes.subarray(0, RAW_OBJECT_MAGIC.length).toString('latin1') === RAW_OBJECT_MAGIC;
    const contents = isRaw ? await readContents(bytes) : [];
    haystacks.push({
      name: `object ${entry.name}`,
      text: [path, bytes.toString('utf8'), ...contents].join('\n'),
    });
  }
  return haystacks;
}

/** Headers and events of the batches in a raw object. */
async function readContents(bytes: Buffer): Promise<string[]> {
  const contents: string[] = [];
  for (const batch of splitBatchObjects(bytes)) {
    const { header, records } = await decodeBatchObject(batch);
    contents.push(JSON.stringify(header), ...records.map(({ eventBytes }) => eventBytes.toString('utf8')));
  }
  return contents;
}
