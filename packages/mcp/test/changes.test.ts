import { describe, expect, it } from 'vitest';
import type { IncidentChanges } from '../src/source.ts';
import { CHANGES_PER_HOUR, createChangeLimits } from '../src/tools/change-tools.ts';
import { callTool, connectTo, sourceOf } from './connected-server.ts';
import { demoIncidents } from './demo-incidents.ts';

/** Changes that agents make (docs/contract/command-line.md 5.8, C-45). */
const HOUR_MS = 3_600_000;

describe('the limit of changes', () => {
  it('refuses the twenty-first of an hour, of each credential on its own', () => {
    let nowMs = 0;
    const limits = createChangeLimits(() => nowMs);
    for (let count = 0; count < CHANGES_PER_HOUR; count += 1) {
      nowMs += 1000;
      limits('one').take();
    }
    expect(() => limits('one').take()).toThrow('20 changes were made in the last hour');
    expect(() => limits('other').take()).not.toThrow();
    nowMs = HOUR_MS + 500;
    expect(() => limits('one').take()).toThrow();
    nowMs = HOUR_MS + 1001;
    limits('one').take();
    expect(() => limits('one').take()).toThrow();
  });

  it('holds for what an agent asks for, and a change that is refused is not made', async () => {
    const incidents = demoIncidents().map(({ evidence }) => evidence);
    const made: string[] = [];
    const never = () => Promise.reject(new Error('not asked for'));
    const changes: IncidentChanges = {
      async setStatus(ids) {
        made.push(...ids);
        return incidents.map(({ incident }) => incident).slice(0, 1);
      },
      triage: never,
      createCaptureRule: never,
      activateProbe: never,
    };
    const client = await connectTo(sourceOf(incidents, changes));
    const change = { incident_ids: ['inc_1'], status: 'resolved' };
    for (let count = 0; count < CHANGES_PER_HOUR; count += 1) {
      expect((await callTool(client, 'set_incident_status', change)).isError).toBe(false);
    }
    expect(await callTool(client, 'set_incident_status', change)).toEqual({
      isError: true,
      text: expect.stringContaining('which is the limit.\n→ let the user make the change'),
    });
    expect(made).toHaveLength(CHANGES_PER_HOUR);
    await client.close();
  });
});
