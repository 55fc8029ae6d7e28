import type { Incident } from '@culprit/contract/incidents/incidents';
import { expect, it } from 'vitest';
import { incidentColumns } from '../../src/commands/incidents/columns.ts';
import { tableLines } from '../../src/output/table.ts';

const INCIDENT = {
  incident_id: 'inc_0123456789abcdef',
  short_id: 'SHOP-1234',
  severity: 'critical',
  status: 'regressed',
  occurrence_count: 123_456,
  last_seen_at: '2026-03-24T10:00:00.000Z',
  service_name: 'recommendations-and-personalization',
  environment: 'production',
  title: "TypeError: Cannot read properties of undefined (reading 'price')",
} as Incident;

it.each([
  [80, ' #  SEVERITY   COUNT  LAST  WHERE          TITLE'],
  [140, 'SEVERITY  STATUS'],
])('incidents in %i columns of a terminal keep 30 characters of the title', (width, heading) => {
  const terminal = { width, isOutTerminal: true, style: (_: unknown, text: string) => text };
  const columns = incidentColumns(terminal, Date.parse('2026-04-05T10:00:00.000Z'));
  const incidents = Array.from({ length: 10 }, () => INCIDENT);
  const [titles = '', row = ''] = tableLines(incidents, columns, { width, title: (text) => text });
  expect(titles).toContain(heading);
  expect([...row].length).toBeLessThanOrEqual(width);
  expect(row).toContain(INCIDENT.title.slice(0, 29));
  expect(row.includes('SHOP-1234')).toBe(width === 140);
});
