import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LATE_MAPS_LANE } from '../../src/maps/maps.jobs.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import {
  IMPROVEMENT_BUNDLES_LANE,
  IMPROVEMENTS_LANE,
} from '../../src/pipeline/improvements/improvements.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { FACTS_LANE } from '../../src/pipeline/incidents/searching/facts.jobs.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { enqueuedKinds, type JobKind } from '../../src/platform/jobs/enqueue.ts';
import type { LaneWork } from '../../src/platform/jobs/lane.ts';
import { createLogger } from '../../src/platform/log.ts';
import { lanesOf } from '../../src/roles/lane-loops.ts';
import { LANES, ROW_QUEUES, requireLaneRows } from '../../src/roles/lanes.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const SOURCES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, path: join(SOURCE, name), text: readFileSync(join(SOURCE, name), 'utf8') }));
const WORK: LaneWork = { claimMax: 1, run: async () => {} };
const BUNDLE_WORK = {
  [REFRESHES_LANE]: WORK,
  [IMPROVEMENT_BUNDLES_LANE]: WORK,
  [LATE_MAPS_LANE]: WORK,
  [FACTS_LANE]: WORK,
  [IMPROVEMENTS_LANE]: WORK,
  [BUNDLES_LANE]: WORK,
};
const OPTIONS = {
  database: absent(),
  log: createLogger({ level: 'silent', role: 'test' }),
  retryScale: 1,
};

describe('the table of lanes', () => {
  it('names each lane and each kind of row once', () => {
    const names = [...LANES, ...ROW_QUEUES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('decides in which order a thread claims, whatever order they are served in', () => {
    expect(lanesOf('bundles', BUNDLE_WORK, OPTIONS).map(({ name }) => name)).toEqual([
      BUNDLES_LANE,
      FACTS_LANE,
      IMPROVEMENTS_LANE,
      IMPROVEMENT_BUNDLES_LANE,
      LATE_MAPS_LANE,
      REFRESHES_LANE,
    ]);
  });

  it('keeps a process from starting that serves a lane without a row', () => {
    expect(() => lanesOf('bundles', { ...BUNDLE_WORK, planted: WORK }, OPTIONS)).toThrow(
      'the lane planted has no row in roles/lanes.ts',
    );
  });

  it('keeps a process from starting that serves a lane of another thread, or leaves one of its own out', () => {
    expect(() => lanesOf('bundles', { ...BUNDLE_WORK, [EVENTS_LANE]: WORK }, OPTIONS)).toThrow(
      'the lane events does not run in bundles',
    );
    expect(() => lanesOf('bundles', { [BUNDLES_LANE]: WORK }, OPTIONS)).toThrow(
      'nothing serves the lane facts',
    );
  });

  it('keeps a process from starting that would enqueue what no row serves', () => {
    expect(() => requireLaneRows([{ lane: 'planted', kind: 'planted.kind' }])).toThrow(
      'the lane planted has no row in roles/lanes.ts',
    );
    expect(() => requireLaneRows([{ lane: EVENTS_LANE, kind: 'planted.kind' }])).toThrow(
      'the lane events does not name the kind planted.kind in roles/lanes.ts',
    );
  });

  it('serves exactly what is enqueued, which is known when a module is loaded', async () => {
    for (const { path } of SOURCES.filter(({ text }) => text.includes('enqueue({'))) await import(path);
    const pairs = (kinds: readonly JobKind[]) =>
      [...new Set(kinds.map(({ lane, kind }) => `${lane} ${kind}`))].sort();
    expect(pairs(enqueuedKinds())).toEqual(
      pairs(LANES.flatMap(({ name, kinds }) => kinds.map((kind) => ({ lane: name, kind })))),
    );
  });

  it('is the only way into the queue', () => {
    const inserting = SOURCES.filter(({ text }) => /insert into jobs\b/i.test(text)).map(({ name }) => name);
    expect(inserting).toEqual(['platform/jobs/enqueue.ts']);
  });

  it('asks a lane anew how many jobs it takes at a time', () => {
    let claimMax = 4;
    const work: LaneWork = {
      get claimMax() {
        return claimMax;
      },
      run: async () => {},
    };
    const [lane] = lanesOf('events', { [EVENTS_LANE]: work }, OPTIONS);
    claimMax = 9;
    expect(lane?.claimMax).toBe(9);
  });
});

/** Nothing here reaches the database. */
function absent(): Database {
  const refuse = async () => {
    throw new Error('no database here');
  };
  return { query: refuse, transaction: refuse, script: refuse, close: async () => {} };
}
