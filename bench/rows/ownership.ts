import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import {
  compileOwnership,
  decideLine,
  type OwnedFacts,
} from '../../packages/server/src/pipeline/incidents/ownership/decide-line.ts';
import type { Measured } from '../report/measured.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';

const LINES = 1000;
const CALLS = 20_000;
const ROW = 'ownership';

/** An incident for which no line is meant, so that each is tried. */
const FACTS: OwnedFacts = {
  ...{ service: 'shop', environment: 'production', types: [], routes: [], tags: new Map() },
  ...{ files: ['/srv/app/packages/shop/src/orders/place-order.ts'], checks: [], heartbeats: [] },
};

/** Processor time of the ownership of an opening incident (docs/contract/team-workflow.md 2.3). */
export const ownership: RowGroup = {
  rows: [ROW],
  measure: async (context) => [
    await timed(context, 'folders of packages', (n) => `/packages/p${n}/src/** @a`),
    await timed(context, 'kinds of files', (n) => `*.x${n} @a`),
    await timed(context, 'both, and names anywhere', (n) =>
      n % 3 === 0 ? `/packages/p${n}/ @a` : n % 3 === 1 ? `*.x${n} @a` : `**/folder-${n} @a`,
    ),
  ],
};

async function timed(context: BenchContext, what: string, line: (n: number) => string): Promise<Measured> {
  const text = Array.from({ length: LINES }, (_, n) => line(n)).join('\n');
  const compiled = compileOwnership(readOwnership(text).lines);
  const values = await repeated(context, `ownership, ${what}`, () => {
    const calls = context.scaled(CALLS);
    for (let warmUp = 0; warmUp < calls / 5; warmUp += 1) decideLine(compiled, FACTS);
    const before = process.cpuUsage();
    for (let call = 0; call < calls; call += 1) decideLine(compiled, FACTS);
    const { user, system } = process.cpuUsage(before);
    return Promise.resolve((user + system) / calls);
  });
  return {
    ...{ row: ROW, figure: `owner of an incident by ${LINES} lines: ${what}`, unit: 'µs', values },
    ...{ floorValues: null, target: { kind: 'at_most', value: 50 }, details: {} },
  };
}
