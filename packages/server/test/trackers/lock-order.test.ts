import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { linkedBench } from '../support/linked-bench.ts';

/**
 * Trackers are locked before their links, as the deletion of a tracker locks them: otherwise a person's change and the
 * deletion could each wait for the other.
 */
it.each([
  ['a refresh', 'POST', '/refresh', undefined],
  ['other settings', 'PATCH', '', { sync: { notes: true } }],
  ['a removal', 'DELETE', '', undefined],
] as const)('%s of a link waits for its tracker before it holds the link', async (_, method, part, body) => {
  const { culprit, world, path, linkId } = await linkedBench();
  const change = await culprit.database.transaction(async (deletion) => {
    const lockTracker = 'select from trackers where tracker_id = $1 for update';
    await deletion.query({ name: 'test-lock-tracker', text: lockTracker }, [world.trackerId]);
    const answer = world.ask(method, `${path}${part}`, body);
    await eventually(async () => {
      const waiting = `select from pg_locks w where not w.granted and pg_backend_pid() = any (pg_blocking_pids(w.pid))`;
      expect(await deletion.query({ name: 'test-waiting', text: waiting }, [])).toHaveLength(1);
    });
    const lockLink = 'select from incident_links where link_id = $1 for update nowait';
    expect(await deletion.query({ name: 'test-lock-link', text: lockLink }, [linkId])).toHaveLength(1);
    return { answer };
  });
  expect((await change.answer).status).toBe(200);
});
