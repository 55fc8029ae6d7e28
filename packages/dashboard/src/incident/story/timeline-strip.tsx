import { type PointerEvent, useRef, useState } from 'react';
import { offsetWords, type TimelineEntry } from './timeline.ts';
import styles from './timeline-strip.module.css';

/** A part of the axis, in milliseconds from the failure. */
export interface Range {
  fromMs: number;
  toMs: number;
}

const BUCKETS = 100;
const HEIGHT = 40;
/** Less than this was a click and no drag. */
const DRAG_MIN_SHARE = 0.01;
const AROUND = [
  ['± 1 s', 1000],
  ['± 10 s', 10_000],
  ['± 1 min', 60_000],
] as const;

/** Shows the number of entries along the axis. A part of it is chosen by dragging, or with the buttons beside it. */
export function TimelineStrip({
  entries,
  others,
  range,
  onRange,
}: {
  entries: readonly TimelineEntry[];
  /** Other events of the incident, which are marks. */
  others: readonly number[];
  range: Range | null;
  onRange: (range: Range | null) => void;
}) {
  const plot = useRef<SVGSVGElement>(null);
  const [startShare, setStart] = useState<number | null>(null);
  const offsets = entries.flatMap(({ offsetMs }) => (offsetMs === null ? [] : [offsetMs]));
  const fromMs = Math.min(...offsets);
  const lengthMs = Math.max(...offsets) - fromMs;
  if (offsets.length < 3 || lengthMs === 0) return null;

  const shareAt = ({ clientX }: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(1, Math.max(0, (clientX - box.left) / box.width));
  };
  const shareOf = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / lengthMs));
  const drag = (event: PointerEvent) => {
    if (startShare === null) return;
    const [low, high] = [startShare, shareAt(event)].toSorted((a, b) => a - b);
    if (low === undefined || high === undefined || high - low < DRAG_MIN_SHARE) return;
    onRange({ fromMs: fromMs + low * lengthMs, toMs: fromMs + high * lengthMs });
  };
  const around = AROUND.filter(([, ms]) => 2 * ms < lengthMs);
  return (
    <div className={styles.strip}>
      <svg
        ref={plot}
        className={styles.plot}
        viewBox={`0 0 ${BUCKETS} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setStart(shareAt(event));
          onRange(null);
        }}
        onPointerMove={drag}
        onPointerUp={() => setStart(null)}
      >
        {range !== null && (
          <rect
            className={styles.chosen}
            x={shareOf(range.fromMs) * BUCKETS}
            width={(shareOf(range.toMs) - shareOf(range.fromMs)) * BUCKETS}
            height={HEIGHT}
          />
        )}
        <path className={styles.bars} d={barsOf(offsets, shareOf)} />
        <path className={styles.others} d={others.map((ms) => `M${shareOf(ms) * BUCKETS} 0v8`).join('')} />
        <path className={styles.zero} d={`M${shareOf(0) * BUCKETS} 0v${HEIGHT}`} />
      </svg>
      <div className={styles.ends}>
        <span>{offsetWords(fromMs)}</span>
        {around.length > 0 && (
          <fieldset className={styles.around}>
            <legend className="visually-hidden">Part of the time</legend>
            <label>
              <input type="radio" name="around" checked={range === null} onChange={() => onRange(null)} />
              <span>All</span>
            </label>
            {around.map(([words, ms]) => (
              <label key={words}>
                <input
                  type="radio"
                  name="around"
                  checked={range?.fromMs === -ms && range.toMs === ms}
                  onChange={() => onRange({ fromMs: -ms, toMs: ms })}
                />
                <span>{words}</span>
              </label>
            ))}
          </fieldset>
        )}
        <span>{offsetWords(fromMs + lengthMs)}</span>
      </div>
    </div>
  );
}

function barsOf(offsets: readonly number[], shareOf: (ms: number) => number): string {
  const counts = Array<number>(BUCKETS).fill(0);
  for (const offset of offsets) {
    const bucket = Math.min(BUCKETS - 1, Math.floor(shareOf(offset) * BUCKETS));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  return counts
    .map((count, index) => {
      if (count === 0) return '';
      const height = Math.max(6, (count / most) * (HEIGHT - 4));
      return `M${index + 0.1} ${HEIGHT}v${-height}h0.8v${height}z`;
    })
    .join('');
}
