import { PARTS } from '../service/process-tree.ts';
import { THREAD_KINDS } from '../service/processor-time.ts';
import { floorShare, isMet, type Measured, median, type Peer, shareOf, type Target } from './measured.ts';

/** Returns the printed table: one line for each figure. */
export function tableOf(measurements: readonly Measured[]): string {
  const hasPeers = measurements.some(({ peer }) => peer !== undefined);
  const lines = [
    ['figure', 'target', 'median', 'spread', hasPeers ? 'floor or peer' : 'floor', ''],
    ...measurements.map((measured) => [
      measured.figure,
      targetText(measured.target, measured.unit),
      `${number(median(measured.values))} ${measured.unit}`,
      `${number(Math.min(...measured.values))} … ${number(Math.max(...measured.values))}`,
      measured.peer === undefined ? floorText(measured) : peerText(measured.peer, measured.values),
      verdict(measured),
    ]),
  ];
  return aligned(lines);
}

/**
 * Returns a table of the processor time: by process and, for the worker, by kind of thread, with its unit in the
 * figure's line of the table above. Empty when none was measured.
 */
export function timeTableOf(measurements: readonly Measured[]): string {
  const measured = measurements.flatMap(({ figure, time }) => (time === undefined ? [] : [{ figure, time }]));
  if (measured.length === 0) return '';
  return aligned([
    ['processor time in µs', 'floor', 'all', ...PARTS, ...THREAD_KINDS.map((kind) => `worker: ${kind}`)],
    ...measured.map(({ figure, time: { runs, floorUs } }) => [
      figure,
      floorUs === null ? '' : number(median(floorUs)),
      number(median(runs.map((run) => run.total))),
      ...PARTS.map((part) => number(median(runs.map((run) => run.parts[part])))),
      ...THREAD_KINDS.map((kind) => number(median(runs.map((run) => run.worker[kind])))),
    ]),
  ]);
}

function aligned(lines: readonly (readonly string[])[]): string {
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
  if (target.kind === 'times_floor') return `≤ ${number(target.value)} × floor`;
  return `${target.kind === 'at_least' ? '≥' : '≤'} ${number(target.value)} ${unit}`;
}

function floorText(measured: Measured): string {
  if (measured.floorValues === null) return '';
  const share = floorShare(measured);
  const text = measured.target.kind === 'none' ? `${number(share * 100)} %` : `${number(share)} ×`;
  return `${number(median(measured.floorValues))} (${text})`;
}

function peerText(peer: Peer, values: readonly number[]): string {
  if ('missing' in peer) return `no peer: ${peer.missing}`;
  return `${peer.name} ${number(median(peer.values))} (${number(shareOf(values, peer.values) * 100)} %)`;
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
