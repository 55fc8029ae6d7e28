import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuUsage } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { sourceFunctions } from '@culprit/source-maps/function-names';
import { lookUpIn, partsOf } from '@culprit/source-maps/look-up';
import { makeForm } from '@culprit/source-maps/make-form';
import { createKeptForms } from '../../packages/server/src/maps/lookup/kept-forms.ts';
import { openObjectStore } from '../../packages/server/src/platform/objects/open-object-store.ts';
import type { Measured, Target } from '../report/measured.ts';
import { type LargeBuild, largeBuild, STATEMENT_CHARS } from './large-map.ts';
import type { ReadingCost } from './read-large-map.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';

/** The size for an application with its libraries in one file. */
const MAP_BYTES = 100_000_000;
const LOOK_UPS = 20_000;
const MEBIBYTE = 1024 * 1024;
const BUILD = fileURLToPath(new URL('../../scripts/build-server.ts', import.meta.url));
const READER = fileURLToPath(new URL('read-large-map.ts', import.meta.url));
const run = promisify(execFile);

/** The cost of source maps (docs/contract/source-maps.md 13). */
export const maps: RowGroup = {
  rows: ['maps'],
  async measure(context) {
    const build = largeBuild(context.scaled(MAP_BYTES));
    const pair = { path: 'assets/main.js', debugId: null, generated: build.code, map: build.map };
    const made = await repeated(context, 'maps, a form', async () => {
      const before = cpuUsage();
      const answer = await makeForm(pair);
      if (answer.kind !== 'made') throw new Error(`${answer.problem}: ${answer.words}`);
      const { user, system } = cpuUsage(before);
      return { form: answer.form, ms: (user + system) / 1000 };
    });
    const form = made[0]?.form ?? Buffer.alloc(0);
    const mebibytes = build.map.length / MEBIBYTE;
    const first = await repeated(context, 'maps, the first answer', () => firstAnswer(form));
    const later = await repeated(context, 'maps, later answers', () =>
      laterAnswers(context, form, build.statements),
    );
    const details = {
      mapBytes: build.map.length,
      segments: build.segments,
      formBytes: form.length,
    };
    const program = await buildReader(context);
    const reading = await repeated(context, 'maps, a process that reads one', () =>
      readingCost(context, program, build),
    );
    const row = (figure: string, unit: string, values: readonly number[], most: number | null): Measured => {
      const target: Target = most === null ? { kind: 'none' } : { kind: 'at_most', value: most };
      return { row: 'maps', figure, unit, values, floorValues: null, target, details };
    };
    return [
      row(
        'making the form, a MB of map',
        'ms',
        made.map(({ ms }) => ms / mebibytes),
        80,
      ),
      row(
        `a process that reads a map of ${Math.round(build.map.length / 1_000_000)} MB`,
        's',
        reading.map(({ seconds }) => seconds),
        6,
      ),
      row(
        'the most memory of that process',
        'MiB',
        reading.map(({ peakMebibytes }) => peakMebibytes),
        350,
      ),
      row('the form, of the map', '%', [(form.length / build.map.length) * 100], 35),
      row('the first answer of a source map', 'ms', first, 30),
      row('an answer for a new place of a known block', 'µs', later, null),
      ...(await nameRows(context, row)),
      row('parts in memory of 200 maps in use', 'MiB', [await mapsInUse(context)], 100),
    ];
  },
};

/** Builds the program as services run it: Node takes additional memory for sources that it has to translate. */
async function buildReader(context: BenchContext): Promise<string> {
  const folder = join(context.directory, 'read-large-map');
  await run(process.execPath, [BUILD, folder, READER]);
  return join(folder, 'read-large-map.js');
}

/** Measures the cost of one map in a process that has nothing else in memory. */
async function readingCost(
  context: BenchContext,
  program: string,
  { code, map }: LargeBuild,
): Promise<ReadingCost> {
  const files = { code: join(context.directory, 'large.js'), map: join(context.directory, 'large.js.map') };
  writeFileSync(files.code, code);
  writeFileSync(files.map, map);
  try {
    const { stdout } = await run(process.execPath, [program, files.code, files.map]);
    return JSON.parse(stdout);
  } finally {
    rmSync(files.code);
    rmSync(files.map);
  }
}

const readerOf = (form: Buffer) => async (offset: number, length: number) =>
  form.subarray(offset, offset + length);

async function firstAnswer(form: Buffer): Promise<number> {
  const before = cpuUsage();
  const found = await lookUpIn(partsOf(readerOf(form), form.length), 0, 3);
  if (found.kind !== 'mapped') throw new Error(found.kind);
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}

/** Places of one block, whose parts are kept as events keep them. */
async function laterAnswers(context: BenchContext, form: Buffer, statements: number): Promise<number> {
  const parts = partsOf(readerOf(form), form.length);
  const block = await parts.block(0);
  const text = await parts.text(0);
  const frame = await parts.frame(0);
  const open = await parts.open();
  const kept = {
    ...{ ...parts, open: async () => open, block: async () => block },
    ...{ text: async () => text, frame: async () => frame },
  };
  const calls = context.scaled(LOOK_UPS);
  const before = cpuUsage();
  for (let n = 0; n < calls; n += 1) {
    await lookUpIn(kept, 0, (n % Math.min(statements, 1000)) * STATEMENT_CHARS);
  }
  const { user, system } = cpuUsage(before);
  return (user + system) / calls;
}

type Row = (figure: string, unit: string, values: readonly number[], most: number | null) => Measured;

const SOURCE_CHARS = 20_000;
const NAMES_ASKED = 100_000;

/** The name of a function in a source of 20 KB, when it is read and later. */
async function nameRows(context: BenchContext, row: Row): Promise<Measured[]> {
  const part = (n: number) =>
    `export class Cart${n} { total(items: number[]) { return items.map((n) => n * ${n}); } }\n`;
  let text = '';
  for (let n = 0; text.length < SOURCE_CHARS; n += 1) text += part(n);
  const first: number[] = [];
  const whole: number[] = [];
  const later: number[] = [];
  await repeated(context, 'maps, names of functions', async (run) => {
    let before = cpuUsage();
    const functions = sourceFunctions('src/cart.ts', `${text}// ${run}`);
    const name = functions?.nameAt(SOURCE_CHARS / 2) ?? null;
    first.push(msSince(before));
    if (name === null) throw new Error('the source cannot be read');
    // A place outside of all functions, for which all of the source is read.
    before = cpuUsage();
    functions?.nameAt(SOURCE_CHARS + 1000);
    whole.push(msSince(before));
    const calls = context.scaled(NAMES_ASKED);
    before = cpuUsage();
    for (let n = 0; n < calls; n += 1) functions?.nameAt((n * 7919) % SOURCE_CHARS);
    later.push((msSince(before) * 1000) / calls);
  });
  return [
    row('the name of a function of a source of 20 KB, the first time', 'ms', first, 40),
    row('where all of the source has to be read', 'ms', whole, null),
    row('the name of a function of a source that was read', 'µs', later, 1),
  ];
}

const MAPS_IN_USE = 200;
const MAP_IN_USE_BYTES = 1_000_000;
const PLACES_OF_MAP = 20;

/** Mebibytes of the parts that a thread keeps of many maps of which events need places. */
async function mapsInUse(context: BenchContext): Promise<number> {
  const objects = await openObjectStore({ kind: 'files', directory: join(context.directory, 'maps-in-use') });
  const forms = createKeptForms(objects);
  const build = largeBuild(MAP_IN_USE_BYTES);
  const made = await makeForm({ path: 'a.js', debugId: null, generated: build.code, map: build.map });
  if (made.kind !== 'made') throw new Error(made.words);
  for (let map = 0; map < context.scaled(MAPS_IN_USE); map += 1) {
    const form = {
      sourceMapId: `map-${map}`,
      objectKey: `maps/bench/${map}.map1`,
      storedBytes: made.form.length,
    };
    await objects.put(form.objectKey, made.form);
    for (let n = 0; n < PLACES_OF_MAP; n += 1) {
      const column = 1 + ((n * 104_729) % build.statements) * STATEMENT_CHARS;
      const answer = await forms.lookUp(form, 1, column, false);
      if (answer.kind !== 'mapped') throw new Error(answer.kind);
    }
  }
  return forms.sizeBytes() / MEBIBYTE;
}

function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = cpuUsage(before);
  return (user + system) / 1000;
}
