import { describe, expect, it } from 'vitest';
import { judgeTrace, type TraceFault, type TraceStep } from './intake-trace.ts';

const FOLDER = '/objects/raw/one';
const OBJECT = `${FOLDER}/object`;
const TEMPORARY = '/objects/tmp/1';

/** A first request of a project, as it should be. */
const SOUND: readonly TraceStep[] = [
  { kind: 'directory made', path: FOLDER },
  { kind: 'sync begins', path: '/objects/raw' },
  { kind: 'synced', path: '/objects/raw' },
  { kind: 'written', path: TEMPORARY, offset: 0 },
  { kind: 'sync begins', path: TEMPORARY },
  { kind: 'synced', path: TEMPORARY },
  { kind: 'renamed', path: TEMPORARY, to: OBJECT },
  { kind: 'sync begins', path: FOLDER },
  { kind: 'synced', path: FOLDER },
  { kind: 'commit begins', path: OBJECT, offset: 0 },
  { kind: 'committed', path: OBJECT, offset: 0 },
  { kind: 'answered', path: OBJECT, offset: 0 },
];

/** A second request, whose batch is appended to the object. */
const APPENDED: readonly TraceStep[] = [
  ...SOUND,
  { kind: 'written', path: OBJECT, offset: 100 },
  { kind: 'sync begins', path: OBJECT },
  { kind: 'synced', path: OBJECT },
  { kind: 'commit begins', path: OBJECT, offset: 150 },
  { kind: 'committed', path: OBJECT, offset: 150 },
  { kind: 'answered', path: OBJECT, offset: 150 },
];

/** The same with one step somewhere else, or nowhere. */
function moved(kind: TraceStep['kind'], path: string, before: TraceStep['kind'] | null): TraceStep[] {
  const step = SOUND.find((each) => each.kind === kind && each.path === path);
  const others = SOUND.filter((each) => each !== step);
  if (step === undefined) throw new Error(`no ${kind} of ${path}`);
  if (before === null) return others;
  return others.toSpliced(
    others.findIndex((each) => each.kind === before),
    0,
    step,
  );
}

describe('a trace of the intake', () => {
  it('is in order where everything came before what it is for', () => {
    expect(judgeTrace(SOUND)).toEqual([null]);
    expect(judgeTrace([...SOUND, ...SOUND])).toEqual([null, null]);
    expect(judgeTrace(APPENDED)).toEqual([null, null]);
  });

  it.each<[TraceFault, TraceStep['kind'][]]>([
    ['object not synced', ['commit begins', 'committed', 'answered']],
    ['object not synced', ['sync begins', 'written', 'synced', 'commit begins', 'committed', 'answered']],
    [
      'committed before it was synced',
      ['written', 'sync begins', 'commit begins', 'synced', 'committed', 'answered'],
    ],
    [
      'answered before it was committed',
      ['written', 'sync begins', 'synced', 'answered', 'commit begins', 'committed'],
    ],
  ])('shows of what was appended that it was %s', (fault, order) => {
    const appended = APPENDED.slice(SOUND.length);
    const inOrder = order.flatMap((kind) => appended.filter((step) => step.kind === kind));
    expect(judgeTrace([...SOUND, ...inOrder])).toEqual([null, fault]);
  });

  it.each([
    ['object not synced', moved('synced', TEMPORARY, null)],
    ['object not synced', moved('synced', TEMPORARY, 'commit begins')],
    ['object not synced', moved('written', TEMPORARY, 'renamed')],
    ['object not synced', moved('renamed', TEMPORARY, null)],
    ['directory not synced', moved('synced', FOLDER, null)],
    ['directory not synced', moved('sync begins', FOLDER, 'renamed')],
    ['parent directory not synced', moved('synced', '/objects/raw', null)],
    ['parent directory not synced', moved('sync begins', '/objects/raw', 'directory made')],
    ['committed before it was synced', moved('synced', FOLDER, 'committed')],
    ['committed before it was synced', moved('synced', '/objects/raw', 'committed')],
    ['answered before it was committed', moved('committed', OBJECT, null)],
    ['answered before it was committed', moved('answered', OBJECT, 'committed')],
  ])('shows that it was %s', (fault, steps) => {
    expect(judgeTrace(steps)).toEqual([fault]);
  });
});
