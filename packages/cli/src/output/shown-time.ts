const WHOLE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/;
const MINUTE_MS = 60_000;

/**
 * Returns a time for people: unchanged in UTC, or with `--local-time` in the zone of this machine, with its offset.
 * Every other text is returned unchanged.
 */
export function shownTime(text: string, isLocal: boolean): string {
  const atMs = isLocal && WHOLE_TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(atMs)) return text;
  const minutes = -new Date(atMs).getTimezoneOffset();
  const local = new Date(atMs + minutes * MINUTE_MS).toISOString().slice(0, text.length - 1);
  const two = (number: number) => String(number).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}
