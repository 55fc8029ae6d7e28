import type { TailEvent } from '@culprit/contract/events/recent-events';
import { describe, expect, it } from 'vitest';
import { continued, foldedRuns, newerThan, TAIL_ROWS_MAX } from '../../src/tail/tail-rows.ts';

function event(id: number, incidentId: string | null = null): TailEvent {
  return {
    event_id: `evt_${id}`,
    event_type: 'log_event',
    received_at: '2026-03-24T10:30:00.000Z',
    occurred_at: '2026-03-24T10:30:00.000Z',
    service: 'api',
    environment: 'production',
    level: null,
    text: `line ${id}`,
    incident_id: incidentId,
    trace_id: null,
  };
}

const idsOf = (rows: readonly TailEvent[]) => rows.map(({ event_id: id }) => id);

describe('the rows of the tail', () => {
  it('stand in the order of arrival, each once', () => {
    const first = continued(undefined, { events: [event(2), event(1)], cursor: 'a' });
    const second = continued(first, { events: [event(3), event(2)], cursor: 'b' });
    expect(idsOf(second.rows)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });

  it('take the incident of an event that was there before it', () => {
    const first = continued(undefined, { events: [event(1)], cursor: 'a' });
    const second = continued(first, { events: [event(1, 'inc_1')], cursor: 'b' });
    expect(second.rows).toEqual([event(1, 'inc_1')]);
  });

  it('are read again for three answers', () => {
    let tail = continued(undefined, { events: [], cursor: 'a' });
    for (const cursor of ['b', 'c', 'd']) tail = continued(tail, { events: [], cursor });
    expect(tail.cursors).toEqual(['b', 'c', 'd']);
  });

  it('are the newest of those that are too many', () => {
    const events = Array.from({ length: TAIL_ROWS_MAX + 10 }, (_, n) => event(n)).reverse();
    const { rows } = continued(undefined, { events, cursor: 'a' });
    expect(rows).toHaveLength(TAIL_ROWS_MAX);
    expect(rows.at(-1)?.event_id).toBe(`evt_${TAIL_ROWS_MAX + 9}`);
  });

  it.each([
    [[1, 2], [1, 2], 0],
    [[1, 2], [1, 2, 3, 4], 2],
    [[1, 2], [4, 5], 2],
    [[], [1], 1],
    [[], [], 0],
  ])('of %j have, among %j, so many newer: %i', (shown, rows, count) => {
    const of = (ids: number[]) => ids.map((id) => event(id));
    expect(newerThan(of(shown), of(rows))).toBe(count);
  });

  it('that say the same and follow each other are one line with their number', () => {
    const same = (id: number, incidentId: string | null) => ({ ...event(id, incidentId), text: 'boom' });
    const rows = [
      same(1, null),
      same(2, 'inc_1'),
      same(3, null),
      event(4),
      same(5, 'inc_1'),
      same(6, 'inc_2'),
    ];
    expect(
      foldedRuns(rows).map(({ key, row, times }) => [key, row.event_id, row.incident_id, times]),
    ).toEqual([
      ['evt_1', 'evt_2', 'inc_1', 3],
      ['evt_4', 'evt_4', null, 1],
      ['evt_5', 'evt_5', 'inc_1', 1],
      ['evt_6', 'evt_6', 'inc_2', 1],
    ]);
  });
});
