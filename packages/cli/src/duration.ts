const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,6})([smhd])$/;

/** `30s`, `15m`, `24h`, `7d` in milliseconds; null for every other text. */
export function parseDurationMs(text: string): number | null {
  const [, count, unit] = DURATION.exec(text) ?? [];
  if (count === undefined || (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd')) return null;
  return Number(count) * UNIT_MS[unit];
}

/** Returns the age of a time, in the largest unit that fits: `3 min`, `2 h`, `5 d`. */
export function ageText(time: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '-';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 2 * 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}
