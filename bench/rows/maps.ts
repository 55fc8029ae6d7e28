import { cpuUsage } from 'node:process';
import { lookUpIn, partsOf } from '@culprit/source-maps/look-up';
import { makeForm } from '@culprit/source-maps/make-form';
import type { Measured, Target } from '../report/measured.ts';
import { largeBuild, STATEMENT_CHARS } from './large-map.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';

/** As of an application with its libraries in one file. */
const MAP_BYTES = 100_000_000;
const LOOK_UPS = 20_000;
const MEBIBYTE = 1024 * 1024;

/** What source maps cost (docs/contract/source-maps.md 13). */
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
      peakMebibytes: Math.round(process.resourceUsage().maxRSS / 1024),
    };
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
      row('the form, of the map', '%', [(form.length / build.map.length) * 100], 35),
      row('the first answer of a source map', 'ms', first, 30),
      row('an answer for a new place of a known block', 'µs', later, null),
    ];
  },
};

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
  const open = await parts.open();
  const kept = { ...parts, open: async () => open, block: async () => block, text: async () => text };
  const calls = context.scaled(LOOK_UPS);
  const before = cpuUsage();
  for (let n = 0; n < calls; n += 1) {
    await lookUpIn(kept, 0, (n % Math.min(statements, 1000)) * STATEMENT_CHARS);
  }
  const { user, system } = cpuUsage(before);
  return (user + system) / calls;
}
