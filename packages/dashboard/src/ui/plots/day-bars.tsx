import { type PointerEvent, useState } from 'react';
import styles from './day-bars.module.css';

export interface DayBar {
  day: string;
  state: 'operational' | 'degraded' | 'down' | 'paused' | 'unknown';
  /**
   * Returns the text that is shown when the bar is pointed at; computed only then, since a list has thousands of days.
   */
  words: () => string;
}

const STEP = 8;
const WIDTH = 6;
const HEIGHT = 24;

/**
 * Shows a bar a day, readable without colour: whole and hatched is down, half is degraded, whole is fine, a line is
 * paused, and an outline is a day of which nothing is known. A summary in words is beside them. The days of a state are
 * one path, since a list of a hundred checks would otherwise draw twelve thousand nodes.
 */
export function DayBars({ days, isLarge = false }: { days: readonly DayBar[]; isLarge?: boolean }) {
  const [pointedAt, setPointedAt] = useState<number>();
  const width = Math.max(1, days.length) * STEP - (STEP - WIDTH);
  const pointed = pointedAt === undefined ? undefined : days[pointedAt];
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width: shown } = event.currentTarget.getBoundingClientRect();
    setPointedAt(Math.floor(((event.clientX - left) / shown) * (width / STEP)));
  };
  return (
    <svg
      className={isLarge ? styles.large : styles.bars}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onPointerMove={point}
      onPointerLeave={() => setPointedAt(undefined)}
    >
      {pointed !== undefined && <title>{pointed.words()}</title>}
      <rect className={styles.target} width={width} height={HEIGHT} />
      {STATES.map((state) => {
        const bars = pathOf(days, state, barAt[state]);
        return bars !== '' && <path key={state} className={styles[state]} d={bars} />;
      })}
      <path className={styles.hatch} d={pathOf(days, 'down', hatchAt)} />
    </svg>
  );
}

const STATES = ['operational', 'degraded', 'down', 'paused', 'unknown'] as const;

const barAt: Readonly<Record<DayBar['state'], (x: number) => string>> = {
  operational: (x) => box(x, HEIGHT),
  degraded: (x) => box(x, HEIGHT / 2),
  down: (x) => box(x, HEIGHT),
  paused: (x) => box(x, 3),
  unknown: (x) => `M${x + 0.5} 0.5h${WIDTH - 1}v${HEIGHT - 1}h${1 - WIDTH}z`,
};

function pathOf(days: readonly DayBar[], state: DayBar['state'], draw: (x: number) => string): string {
  return days.map((day, index) => (day.state === state ? draw(index * STEP) : '')).join('');
}

function box(x: number, height: number): string {
  return `M${x} ${HEIGHT}h${WIDTH}v${-height}h${-WIDTH}z`;
}

function hatchAt(x: number): string {
  return [0, 6, 12, 18].map((y) => `M${x} ${y}l${WIDTH} 6M${x + WIDTH} ${y}l${-WIDTH} 6`).join('');
}
