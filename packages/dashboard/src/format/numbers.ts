const FULL = new Intl.NumberFormat();
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const UNKNOWN = '–';

/** Counts in full to 9,999, then 12.3k and 1.2M; what is not known is a dash, never 0. */
export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  return value < 10_000 ? FULL.format(value) : COMPACT.format(value).replace('K', 'k');
}

/** The whole number, for titles and screen readers. */
export function fullCount(value: number | null | undefined): string {
  return value === null || value === undefined ? UNKNOWN : FULL.format(value);
}

const RULES = new Intl.PluralRules('en');

/** "1 incident", "3 incidents". */
export function plural(value: number, one: string, other = `${one}s`): string {
  return `${count(value)} ${RULES.select(value) === 'one' ? one : other}`;
}

/** A share of 1 as a percentage; below 1 % with one decimal. */
export function percent(share: number | null): string {
  if (share === null) return UNKNOWN;
  const value = share * 100;
  const digits = value > 0 && value < 1 ? 1 : 0;
  return `${value.toFixed(digits)} %`;
}

/** A share of 1 whose hundredths of a percent matter, such as availability; never rounded up to 100 %. */
export function precisePercent(share: number | null): string {
  if (share === null) return UNKNOWN;
  const value = Math.floor(share * 10_000) / 100;
  return `${value === 100 ? '100' : value.toFixed(2)} %`;
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(value: number | null): string {
  if (value === null) return UNKNOWN;
  if (value < 1024) return `${value} B`;
  let amount = value;
  let unit = -1;
  while (amount >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${amount.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** 842 ms, 1.24 s, 2 min 5 s, 3 h, 12 d. */
export function duration(ms: number | null): string {
  if (ms === null) return UNKNOWN;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(2))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) {
    const rest = seconds % 60;
    return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
  }
  if (seconds < 48 * 3600) {
    const minutes = Math.round(seconds / 60) % 60;
    return `${Math.floor(seconds / 3600)} h${minutes === 0 ? '' : ` ${minutes} min`}`;
  }
  return `${Math.floor(seconds / 86_400)} d`;
}

/** A duration without the seconds that a sentence does not need: 42 s, 22 min, 3 h. */
export function roughly(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 2) return duration(Math.round(ms / 1000) * 1000);
  return duration(minutes < 120 ? minutes * 60_000 : Math.round(minutes / 60) * 3_600_000);
}
