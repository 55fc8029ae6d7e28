import { readFileSync } from 'node:fs';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { expect, it } from 'vitest';
import {
  keepMappedFrames,
  mayHaveLostFrames,
} from '../../src/pipeline/bundles/evidence/keep-mapped-frames.ts';

const EXAMPLE = new URL('../../../evidence/test/bundles/contract-example.json', import.meta.url);
const example: DebugBundle = JSON.parse(readFileSync(EXAMPLE, 'utf8'));

function bundle(mapped: number, file: string, signalId = 'evt_1'): DebugBundle {
  const reason = 'map_removed' as const;
  const problem = { reason, words: 'w', hint: 'm', file: 'a.js', debug_id: null, release: null, frames: 1 };
  return {
    ...example,
    signal: { ...example.signal, signal_id: signalId },
    summary: { ...example.summary, first_application_frame: { file, line: 1, function: 'f' } },
    context: {
      ...example.context,
      symbolication: {
        ...{ version: 1, state: mapped > 0 ? 'mapped' : 'unmapped', mapped, unmapped: 0, release: null },
        problems: mapped > 0 ? [] : [problem],
      },
    },
  };
}

it('a bundle keeps the frames that a map gave it when the map is gone', () => {
  const [fresh, stored] = [bundle(0, 'a.js'), bundle(2, 'src/cart.ts')];
  expect([mayHaveLostFrames(fresh), mayHaveLostFrames(stored)]).toEqual([true, false]);
  expect(keepMappedFrames(fresh, stored)).toMatchObject({
    summary: { first_application_frame: { file: 'src/cart.ts' } },
    context: { symbolication: { mapped: 2 } },
  });
  expect(keepMappedFrames(stored, fresh)).toBe(stored);
  const ofAnother = bundle(0, 'a.js', 'evt_2');
  expect(keepMappedFrames(ofAnother, stored)).toBe(ofAnother);
});
