import { describe, expect, it } from 'vitest';
import type { ActiveProbe } from '../../src/probes/active-probe.ts';
import { probeDirectives } from '../../src/probes/probe-directives.ts';

/** docs/contract/ingestion.md 3.9. */

const UUIDS = ['0', '1', '2', '3', '4'].map((digit) => `550e8400-e29b-41d4-a716-44665544000${digit}`);

function probe(index: number, service: string, environment: string): ActiveProbe {
  return {
    activation_id: UUIDS[index] ?? '',
    label_pattern: 'auth.*',
    service,
    environment,
    expires_at: '2030-01-01T00:05:00Z',
    trigger_expires_at: '2030-01-02T00:00:00Z',
  };
}

function event(serviceName: string, environment: string, dialect: 'seed' | 'wire' = 'seed') {
  return { serviceName, environment, dialect };
}

const PROBES = [
  probe(0, '*', '*'),
  probe(1, 'web', '*'),
  probe(2, '*', 'staging'),
  probe(3, 'web', 'staging'),
  probe(4, 'api', 'production'),
];

function told(events: ReturnType<typeof event>[]): number[] {
  return probeDirectives(PROBES, events, OWN).map(({ activation_id }) =>
    UUIDS.indexOf(activation_id.slice(4)),
  );
}

const OWN = { isPublishedLibrary: false, readsWildcards: true };
const PUBLISHED = { isPublishedLibrary: true, readsWildcards: false };

describe('probe directives', () => {
  it('with wildcards that published libraries take literally are for our own alone', () => {
    const patterns = ['*', 'auth.*', 'auth', 'db_*', 'a?', '*.b', 'a.*.*'];
    const probes = patterns.map((label_pattern) => ({ ...probe(0, '*', '*'), label_pattern }));
    const toldTo = (reader: typeof OWN) =>
      probeDirectives(probes, [], reader).map(({ label_pattern }) => label_pattern);
    expect(toldTo(OWN)).toEqual(patterns);
    expect(toldTo(PUBLISHED)).toEqual(['*', 'auth.*', 'auth']);
  });

  it('are those whose service and environment fit one and the same event', () => {
    expect(told([event('web', 'production')])).toEqual([0, 1]);
    expect(told([event('api', 'staging')])).toEqual([0, 2]);
    expect(told([event('web', 'staging')])).toEqual([0, 1, 2, 3]);
    // The pair of the fourth probe stands in no event, though each half does.
    expect(told([event('web', 'production'), event('api', 'staging')])).toEqual([0, 1, 2]);
    expect(told([event('Web', 'Staging')])).toEqual([0]);
  });

  it('of a batch without a sound event are those for everybody', () => {
    expect(told([])).toEqual([0]);
  });

  it('have exactly the fields of the contract, in its order', () => {
    expect(JSON.stringify(probeDirectives(PROBES.slice(0, 1), [], OWN))).toBe(
      `[{"activation_id":"act_${UUIDS[0]}","label_pattern":"auth.*","service":"*","environment":"*",` +
        '"expires_at":"2030-01-01T00:05:00Z","trigger_expires_at":"2030-01-02T00:00:00Z"}]',
    );
  });

  it('have bare ids only where every sound event is of a published library', () => {
    const idFor = (...dialects: ('seed' | 'wire')[]) =>
      probeDirectives(
        PROBES.slice(0, 1),
        dialects.map((dialect) => event('web', 'production', dialect)),
        OWN,
      )[0]?.activation_id;
    expect(idFor('wire', 'wire')).toBe(UUIDS[0]);
    expect(idFor('wire', 'seed')).toBe(`act_${UUIDS[0]}`);
    expect(idFor()).toBe(`act_${UUIDS[0]}`);
  });

  it('have bare ids for a published library also where no event is sound, and those of the events else', () => {
    const idFor = (...events: ReturnType<typeof event>[]) =>
      probeDirectives(PROBES.slice(0, 1), events, PUBLISHED)[0]?.activation_id;
    expect(idFor()).toBe(UUIDS[0]);
    expect(idFor(event('web', 'production', 'seed'))).toBe(`act_${UUIDS[0]}`);
  });
});
