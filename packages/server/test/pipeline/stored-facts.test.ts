import { describe, expect, it } from 'vitest';
import {
  type IncidentFacts,
  readFacts,
  storedFacts,
} from '../../src/pipeline/incidents/searching/facts.jobs.ts';

const NOW = Date.UTC(2026, 2, 24);

describe('the facts that a job holds', () => {
  const incidents: IncidentFacts[] = [
    {
      incidentId: 'a',
      messages: ['one', 'two "three"'],
      tags: [
        ['tenant', 'acme 1', 3, NOW - 5, NOW],
        ['acme 1', 'tenant', 1, NOW, NOW],
      ],
    },
    { incidentId: 'b', messages: [], tags: [['tenant', '', 1_000_000, NOW - 86_400_000, NOW + 1]] },
    { incidentId: 'c', messages: ['three'], tags: [] },
  ];

  it('are read as they were counted', () => {
    for (const some of [incidents, incidents.slice(2), []]) {
      expect(readFacts(JSON.parse(JSON.stringify(storedFacts(some))))).toEqual(some);
    }
  });

  it('name each text once', () => {
    expect(storedFacts(incidents).texts).toEqual(['tenant', 'acme 1', '']);
  });

  it('are refused in another form', () => {
    expect(() => readFacts({ incidents: [] })).toThrow('unreadable facts');
  });
});
