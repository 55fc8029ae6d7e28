import { describe, expect, it } from 'vitest';
import {
  addSuppressed,
  advanceIncident,
  type IncidentState,
  type IncidentStatus,
  type Occurrence,
  openIncident,
  reopenIncident,
  resolveIncident,
} from '../../src/incidents/incident-state.ts';

/** The state machine of docs/contract/incidents.md 1.4; its transitions have the numbers of that table. */

const RESOLVED_AT = 1_000;
const NOW = 5_000;
const MEDIUM = 1;
const HIGH = 2;

function stateOf(status: IncidentStatus): IncidentState {
  const isResolved = status === 'resolved';
  return {
    status,
    severity: MEDIUM,
    firstSeenAtMs: 100,
    lastSeenAtMs: 200,
    occurrenceCount: 3,
    resolvedAtMs: isResolved ? RESOLVED_AT : null,
    resolvedByUserId: isResolved ? 'user' : null,
    regressedAtMs: status === 'regressed' ? 150 : null,
    statusChangedAtMs: 150,
    newestReceivedAtMs: 210,
  };
}

function signal(overrides: Partial<Occurrence> = {}): Occurrence {
  return { effectiveAtMs: 300, receivedAtMs: 310, severity: MEDIUM, ...overrides };
}

describe('an incident that begins (T1)', () => {
  it('is open, was seen once and has the severity of its signal', () => {
    expect(openIncident(signal({ severity: HIGH }), NOW)).toEqual({
      status: 'open',
      severity: HIGH,
      firstSeenAtMs: 300,
      lastSeenAtMs: 300,
      occurrenceCount: 1,
      resolvedAtMs: null,
      resolvedByUserId: null,
      regressedAtMs: null,
      statusChangedAtMs: NOW,
      newestReceivedAtMs: 310,
    });
  });
});

describe('a counted signal', () => {
  it.each<[transition: string, from: IncidentStatus, receivedAtMs: number, to: IncidentStatus]>([
    ['T2', 'open', 310, 'open'],
    ['T3', 'regressed', 310, 'regressed'],
    ['T9', 'resolved', RESOLVED_AT + 1, 'regressed'],
    ['T10, received at the moment of the resolution', 'resolved', RESOLVED_AT, 'resolved'],
    ['T10, received before it', 'resolved', RESOLVED_AT - 1, 'resolved'],
  ])('%s: leaves a status of %s, when received at %i, as %s', (_name, from, receivedAtMs, to) => {
    const before = stateOf(from);
    const occurrence = signal({ receivedAtMs });
    const { state, regressedBy } = advanceIncident(before, [occurrence], NOW);
    const hasRegressed = from === 'resolved' && to === 'regressed';
    expect(state).toEqual({
      ...before,
      status: to,
      lastSeenAtMs: 300,
      occurrenceCount: 4,
      newestReceivedAtMs: receivedAtMs,
      ...(hasRegressed
        ? { regressedAtMs: NOW, statusChangedAtMs: NOW, resolvedAtMs: null, resolvedByUserId: null }
        : {}),
    });
    expect(regressedBy).toBe(hasRegressed ? occurrence : null);
  });

  it('reopens by the time it was received and never by its own', () => {
    const { state } = advanceIncident(
      stateOf('resolved'),
      [signal({ effectiveAtMs: RESOLVED_AT + 500, receivedAtMs: RESOLVED_AT - 500 })],
      NOW,
    );
    expect(state).toMatchObject({ status: 'resolved', lastSeenAtMs: RESOLVED_AT + 500 });
  });

  it('moves the bounds of when it was seen outwards only', () => {
    const early = advanceIncident(stateOf('open'), [signal({ effectiveAtMs: 50 })], NOW).state;
    expect(early).toMatchObject({ firstSeenAtMs: 50, lastSeenAtMs: 200 });
    const between = advanceIncident(stateOf('open'), [signal({ effectiveAtMs: 150 })], NOW).state;
    expect(between).toMatchObject({ firstSeenAtMs: 100, lastSeenAtMs: 200 });
  });

  it('of a batch that reopens counts as the reason once, the first one', () => {
    const late = signal({ receivedAtMs: RESOLVED_AT });
    const first = signal({ receivedAtMs: RESOLVED_AT + 1 });
    const second = signal({ receivedAtMs: RESOLVED_AT + 2 });
    const { state, regressedBy } = advanceIncident(stateOf('resolved'), [late, first, second], NOW);
    expect(regressedBy).toBe(first);
    expect(state).toMatchObject({ status: 'regressed', occurrenceCount: 6 });
  });

  it.each([
    ['raises', HIGH, HIGH, true],
    ['keeps', MEDIUM, MEDIUM, false],
    ['never lowers', 0, MEDIUM, false],
  ])('%s the severity (T13)', (_name, severity, after, isSeverityRaised) => {
    const advance = advanceIncident(stateOf('regressed'), [signal({ severity })], NOW);
    expect(advance).toMatchObject({ isSeverityRaised, state: { severity: after, status: 'regressed' } });
  });

  it('leaves the state it was given as it was', () => {
    const before = stateOf('resolved');
    advanceIncident(before, [signal({ receivedAtMs: RESOLVED_AT + 1 })], NOW);
    expect(before).toEqual(stateOf('resolved'));
  });
});

describe('a member', () => {
  it.each<[IncidentStatus, boolean]>([
    ['open', true],
    ['regressed', true],
    ['resolved', false],
  ])('resolves what is %s: %s (T4 to T6)', (status, moves) => {
    const before = stateOf(status);
    const after = {
      ...before,
      status: 'resolved',
      resolvedAtMs: NOW,
      resolvedByUserId: 'me',
      statusChangedAtMs: NOW,
    };
    expect(resolveIncident(before, 'me', NOW)).toEqual(moves ? after : null);
  });

  it.each<[IncidentStatus, boolean]>([
    ['open', false],
    ['regressed', false],
    ['resolved', true],
  ])('reopens what is %s: %s (T7, T8)', (status, moves) => {
    const before = stateOf(status);
    const after = {
      ...before,
      status: 'open',
      resolvedAtMs: null,
      resolvedByUserId: null,
      statusChangedAtMs: NOW,
    };
    expect(reopenIncident(before, NOW)).toEqual(moves ? after : null);
  });
});

describe('suppressed repeats (5.10)', () => {
  it.each<[IncidentStatus, lastSeenMs: number, lastSeenAfterMs: number]>([
    ['open', 900, 900],
    ['regressed', 900, 900],
    ['open', 50, 200],
    ['resolved', 900, 200],
  ])('of an incident that is %s, last at %i, leave it last seen at %i', (status, lastSeenMs, after) => {
    const before = stateOf(status);
    expect(addSuppressed(before, 27, lastSeenMs)).toEqual({
      ...before,
      occurrenceCount: 30,
      lastSeenAtMs: after,
    });
  });
});
