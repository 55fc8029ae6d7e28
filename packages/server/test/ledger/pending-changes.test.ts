import { STREAM_RESOURCES } from '@culprit/contract/endpoints/stream';
import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { describe, expect, it } from 'vitest';
import { createPendingChanges } from '../../src/pipeline/ledger/pending-changes.ts';

/** What a stream has still to tell (docs/contract/server-additions.md S21). */
describe('the changes that a stream has still to tell', () => {
  const change = (projectId: string, incidentIds: string[] | null, ...kinds: LifecycleKind[]) => ({
    projectId,
    incidentIds,
    kinds,
    hasRejections: false,
  });
  const ids = (count: number, name = 'i') => Array.from({ length: count }, (_, n) => `${name}${n}`);

  it('are one message a second for a project, whatever comes in between', () => {
    const pending = createPendingChanges();
    pending.add(change('a', ['1'], 'incident.opened'));
    expect(pending.takeDue(0)).toEqual([{ projectId: 'a', resources: ['incidents'], incidentIds: ['1'] }]);
    pending.add(change('a', ['2'], 'incident.resolved'));
    pending.add(change('a', ['1', '2'], 'bundle.created'));
    pending.add(change('b', [], 'improvement_bundle.created'));
    expect(pending.takeDue(500)).toEqual([{ projectId: 'b', resources: ['improvements'], incidentIds: [] }]);
    expect(pending.nextDueMs()).toBe(1000);
    expect(pending.takeDue(1000)).toEqual([
      { projectId: 'a', resources: ['incidents', 'bundles'], incidentIds: ['2', '1'] },
    ]);
    expect(pending.nextDueMs()).toBeNull();
  });

  it('name rejected events apart from what the ledger tells', () => {
    const pending = createPendingChanges();
    pending.add({ ...change('a', []), hasRejections: true });
    expect(pending.takeDue(0)).toEqual([{ projectId: 'a', resources: ['rejections'], incidentIds: [] }]);
  });

  it('name a hundred incidents of a project, and none beyond that', () => {
    const pending = createPendingChanges();
    pending.add(change('a', ids(60), 'bundle.updated'));
    pending.add(change('a', ids(60), 'bundle.updated'));
    expect(pending.takeDue(0)[0]?.incidentIds).toHaveLength(60);
    pending.add(change('a', ids(60, 'i'), 'bundle.updated'));
    pending.add(change('a', ids(60, 'j'), 'bundle.updated'));
    pending.add(change('a', ['one more'], 'bundle.updated'));
    expect(pending.takeDue(1000)[0]?.incidentIds).toBeNull();
  });

  it('keep a bounded number of names, however many projects there are', () => {
    const pending = createPendingChanges();
    for (const projectId of ids(50, 'p')) pending.add(change(projectId, ids(100), 'bundle.updated'));
    const named = pending.takeDue(0).filter(({ incidentIds }) => incidentIds !== null);
    expect(named).toHaveLength(10);
    pending.add(change('p0', ids(100), 'bundle.updated'));
    expect(pending.takeDue(1000)[0]?.incidentIds).toHaveLength(100);
  });

  it('are all resources of every project when some were missed', () => {
    const pending = createPendingChanges();
    pending.add(change('a', ['1'], 'incident.opened'));
    pending.addAll(['a', 'b']);
    expect(pending.takeDue(0)).toEqual(
      ['a', 'b'].map((projectId) => ({
        projectId,
        resources: [...STREAM_RESOURCES],
        incidentIds: null,
      })),
    );
  });
});
