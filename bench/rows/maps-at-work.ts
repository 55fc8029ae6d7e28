import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cpuUsage } from 'node:process';
import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { makeForm } from '@culprit/source-maps/make-form';
import { createMapMemory, createMappedKeys } from '../../packages/server/src/maps/lookup/mapped-keys.ts';
import { nameKey } from '../../packages/server/src/maps/lookup/names.queries.ts';
import { baseHash } from '../../packages/server/src/maps/map-keys.ts';
import { openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { openObjectStore } from '../../packages/server/src/platform/objects/open-object-store.ts';
import { uploadMaps } from '../../packages/server/test/support/map-client.ts';
import type { Measured } from '../report/measured.ts';
import { largeBuild, STATEMENT_CHARS } from './large-map.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';
import { withService } from './with-service.ts';

/** The cost of source maps for an event, and the time of an upload (docs/contract/source-maps.md 13). */
export const mapsAtWork: RowGroup = {
  rows: ['mapped-frames', 'map-upload'],
  measure: async (context) => [...(await mappedFrames(context)), await uploadOfMany(context)],
};

const FRAMES = 20;
const KINDS = 50;
const ROUNDS = 400;
const MAP_BYTES = 1_000_000;
const RELEASE = 'shop@1.4.2';
const ADDRESS = 'https://shop.example/assets/main.js';
const PROJECT = 'bench';
const SETTINGS = { stackRules: [], learnsSlots: false, mapsVersion: 1, showsSource: true };

/**
 * Measures the time that is added to the key of an event, whose maps and names are known: for known errors, and for new
 * ones.
 */
async function mappedFrames(context: BenchContext): Promise<Measured[]> {
  const objects = await openObjectStore({
    kind: 'files',
    directory: join(context.directory, 'mapped-frames'),
  });
  const memory = createMapMemory(objects);
  const build = largeBuild(MAP_BYTES);
  const made = await makeForm({
    path: 'assets/main.js',
    debugId: null,
    generated: build.code,
    map: build.map,
  });
  if (made.kind !== 'made') throw new Error(made.words);
  const objectKey = 'maps/bench/mapped-frames.map1';
  await objects.put(objectKey, made.form);
  memory.names.named.set(
    `${PROJECT} ${SETTINGS.mapsVersion} ${nameKey({ foundBy: 'file', key: RELEASE, hash: baseHash(ADDRESS) })}`,
    [
      {
        ...{ sourceMapId: 'map', path: 'assets/main.js', debugId: null, objectKey },
        ...{ storedBytes: made.form.length, removedReason: null, removedAtMs: null, createdAtMs: 0 },
      },
    ],
  );
  // Nothing is asked of it: all names are known.
  const database = openDatabase({
    url: 'postgres://127.0.0.1:1/none',
    connectionsMax: 1,
    applicationName: 'culprit-bench',
  });
  const keysWith = (raw: ReturnType<typeof createGroupingKeyMaker>) =>
    createMappedKeys({ database, memory }, PROJECT, SETTINGS, raw);
  const events = Array.from({ length: KINDS }, (_, kind) => pageFailure(kind, build.statements));
  try {
    // The first keys load what they need.
    const loading = keysWith(createGroupingKeyMaker({ entriesMax: 1000 }));
    for (const event of events) {
      while (loading.keyOf(event) !== null && !loading.isComplete()) await loading.load();
    }
    const known = await repeated(context, 'a known event with 20 mapped frames', async () => {
      const raw = createGroupingKeyMaker({ entriesMax: 1000 });
      const mapped = keysWith(raw);
      return added(context, events, raw, mapped.keyOf);
    });
    const fresh = await repeated(context, 'a new event with 20 mapped frames', async () => {
      const raw = createGroupingKeyMaker({ entriesMax: 0 });
      let message = 0;
      const mapped = keysWith(raw);
      // No two have one message, so nothing is remembered of the whole event.
      const renamed = (event: NormalizedEvent) => withMessage(event, `failure ${++message}`);
      return added(
        context,
        events,
        (event) => raw(renamed(event)),
        (event) => mapped.keyOf(renamed(event)),
      );
    });
    const row = (figure: string, values: readonly number[], most: number | null): Measured => ({
      ...{ row: 'mapped-frames', figure, unit: 'µs', values, floorValues: null },
      target: most === null ? { kind: 'none' } : { kind: 'at_most', value: most },
      details: { frames: FRAMES, kinds: KINDS },
    });
    return [
      row('an event with 20 mapped frames, warm, over the same one without maps', known, 20),
      row('an event that was not met before, over the same one without maps', fresh, null),
    ];
  } finally {
    await database.close();
  }
}

/** Microseconds that one event takes more with `mapped` than with `raw`, measured by turns. */
function added(
  context: BenchContext,
  events: readonly NormalizedEvent[],
  raw: (event: NormalizedEvent) => unknown,
  mapped: (event: NormalizedEvent) => unknown,
): number {
  const rounds = context.scaled(ROUNDS);
  const turns = 10;
  let rawUs = 0;
  let mappedUs = 0;
  for (let turn = -2; turn < turns; turn += 1) {
    const [first, second] = [raw, mapped].map((work) => {
      const before = cpuUsage();
      for (let round = 0; round < rounds / turns; round += 1) for (const event of events) work(event);
      const { user, system } = cpuUsage(before);
      return user + system;
    });
    if (turn < 0) continue;
    rawUs += first ?? 0;
    mappedUs += second ?? 0;
  }
  return (mappedUs - rawUs) / (Math.ceil(rounds / turns) * turns * events.length);
}

function pageFailure(kind: number, statements: number): NormalizedEvent {
  const frames = Array.from({ length: FRAMES }, (_, n) => {
    const column = 1 + (((kind * FRAMES + n) * 104_729) % statements) * STATEMENT_CHARS;
    return `    at ${'abcdefgh'.charAt(n % 8)}${n} (${ADDRESS}:1:${column})`;
  });
  const raw = {
    event_type: 'frontend_exception',
    service: { name: 'shop-web', environment: 'production' },
    context: { release: RELEASE },
    payload: {
      ...{ name: 'TypeError', message: `x${kind} is undefined` },
      stack: `TypeError: x${kind} is undefined\n${frames.join('\n')}`,
    },
  };
  return normalizeEvent(raw, { eventId: `evt_${kind}`, receivedAtMs: 0 });
}

function withMessage(event: NormalizedEvent, message: string): NormalizedEvent {
  const { payload } = event;
  return payload.kind === 'exception' ? { ...event, payload: { ...payload, message } } : event;
}

const FILES = 200;
const FILE_BYTES = 100_000;

/** From the first request until the verdict on the last file. */
async function uploadOfMany(context: BenchContext): Promise<Measured> {
  const files = Array.from({ length: context.scaled(FILES) }, (_, n) => {
    const { code, map } = largeBuild(FILE_BYTES);
    const mark = createHash('sha256').update(String(n)).digest('hex').slice(0, 12);
    // No two are the same file.
    return { path: `assets/${mark}.js`, code: Buffer.concat([code, Buffer.from(`\n//${mark}\n`)]), map };
  });
  const seconds = await withService(context, async (service) =>
    repeated(context, `upload of ${files.length} files`, async (run) => {
      const project = await service.createProject(`maps-${run}`);
      const begin = performance.now();
      const upload = await uploadMaps(
        { url: `http://${service.host}:${service.port}` },
        { memberToken: project.memberToken, projectId: `proj_${project.projectId}` },
        files,
        `bench@${run}`,
      );
      const taken = upload.files.filter(({ verdict }) => verdict === 'ready').length;
      if (taken !== files.length) throw new Error(`${files.length - taken} files were not taken`);
      return (performance.now() - begin) / 1000;
    }),
  );
  return {
    ...{ row: 'map-upload', figure: `${files.length} files of 100 KB until all verdicts`, unit: 's' },
    ...{ values: seconds, floorValues: null, target: { kind: 'at_most', value: 10 } },
    details: { files: files.length, bytes: FILE_BYTES },
  };
}
