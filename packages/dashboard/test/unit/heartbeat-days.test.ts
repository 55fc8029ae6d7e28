import { describe, expect, it } from 'vitest';
import { heartbeatBars, heartbeatDaysWords } from '../../src/checks/heartbeat-days.ts';

describe('the days of a heartbeat', () => {
  const now = Date.parse('2026-11-30T00:30:00Z');
  const days = [
    { day: '2026-11-30', total_runs: 3, ok: 3, unknown: 0 },
    { day: '2026-11-29', total_runs: 4, ok: 2, unknown: 1 },
    { day: '2026-11-27', total_runs: 2, ok: 0, unknown: 0 },
    { day: '2026-09-02', total_runs: 1, ok: 0, unknown: 1 },
  ];

  it('are 90 bars that end today, and those without runs are lines', () => {
    const bars = heartbeatBars(days, now);
    expect(bars).toHaveLength(90);
    expect([bars[0]?.day, bars.at(-1)?.day]).toEqual(['2026-09-02', '2026-11-30']);
    expect([0, 86, 87, 88, 89].map((at) => [bars[at]?.state, bars[at]?.words()])).toEqual([
      ['unknown', '2026-09-02: not known: Culprit was down'],
      ['down', '2026-11-27: 2 of 2 runs failed'],
      ['paused', '2026-11-28: no run ended'],
      ['degraded', '2026-11-29: 1 of 3 runs failed'],
      ['operational', '2026-11-30: all 3 runs succeeded'],
    ]);
  });

  it('are summed up in a sentence', () => {
    expect(heartbeatDaysWords(days)).toBe('Runs failed on 2 days of 4 with runs');
    expect(heartbeatDaysWords([])).toBe('No run has ended yet.');
  });
});
