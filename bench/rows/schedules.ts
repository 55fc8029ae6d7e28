import { isSchedule } from '../../packages/server/src/monitor/heartbeats/schedule.ts';
import type { Measured } from '../report/measured.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';

const CALLS = 50;
const ROW = 'schedules';
const NOW_MS = Date.parse('2026-01-01T00:00Z');

/** Crontabs that are refused: at the first look, and after all years were searched for a day that does not exist. */
const REFUSED = [
  '61 * * * *',
  '* * * * * *',
  '0 0 31 2 *',
  '* * 31 2 *',
  '0-59 0-23 30-31 2 *',
  '0 0 31 2,4,6,9,11 *',
];
const TIMEZONES = ['UTC', 'America/New_York', 'Australia/Lord_Howe'];

/** Processor time to refuse the crontab of a heartbeat (docs/contract/team-workflow.md 8.1). */
export const schedules: RowGroup = {
  rows: [ROW],
  measure: async (context) => [await timed(context)],
};

/** The slowest crontab and time zone of each run. */
async function timed(context: BenchContext): Promise<Measured> {
  const values = await repeated(context, 'refused crontabs', () => {
    const calls = context.scaled(CALLS);
    const slowest = TIMEZONES.flatMap((timezone) =>
      REFUSED.map((value) => millisFor(value, timezone, calls)),
    );
    return Promise.resolve(Math.max(...slowest));
  });
  return {
    ...{ row: ROW, figure: 'refusal of the slowest crontab', unit: 'ms', values },
    ...{ floorValues: null, target: { kind: 'at_most', value: 200 }, details: {} },
  };
}

function millisFor(value: string, timezone: string, calls: number): number {
  const before = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    if (isSchedule({ type: 'crontab', value }, timezone, NOW_MS)) throw new Error(`${value} was not refused`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}
