import { floorShare, isMet, type Measured, median, type Target } from './measured.ts';

/** The table as it is printed: one line for each figure. */
export function tableOf(measurements: readonly Measured[]): string {
  const lines = [
    ['figure', 'target', 'median', 'spread', 'floor', ''],
    ...measurements.map((measured) => [
      measured.figure,
      targetText(measured.target, measured.unit),
      `${number(median(measured.values))} ${measured.unit}`,
      `${number(Math.min(...measured.values))} … ${number(Math.max(...measured.values))}`,
      floorText(measured),
      verdict(measured),
    ]),
  ];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

function targetText(target: Target, unit: string): string {
  if (target.kind === 'none') return '';
  if (target.kind === 'share_of_floor') return `≥ ${number(target.value * 100)} % of floor`;
  return `${target.kind === 'at_least' ? '≥' : '≤'} ${number(target.value)} ${unit}`;
}

function floorText(measured: Measured): string {
  if (measured.floorValues === null) return '';
  return `${number(median(measured.floorValues))} (${number(floorShare(measured) * 100)} %)`;
}

function verdict(measured: Measured): string {
  const met = isMet(measured);
  if (met === null) return '';
  return met ? 'met' : 'MISSED';
}

/** Three significant digits, thousands separated. */
function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
