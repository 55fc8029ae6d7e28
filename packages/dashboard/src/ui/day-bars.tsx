import styles from './day-bars.module.css';

export interface DayBar {
  day: string;
  state: 'operational' | 'degraded' | 'down' | 'paused' | 'unknown';
  /** What it says when it is pointed at. */
  words: string;
}

const STEP = 8;
const WIDTH = 6;
const HEIGHT = 24;

/**
 * A bar a day, readable without colour: whole and hatched is down, half is degraded, whole is fine, a line is paused, and
 * an outline is a day of which nothing is known. What they say together stands beside them.
 */
export function DayBars({ days, isLarge = false }: { days: readonly DayBar[]; isLarge?: boolean }) {
  const width = Math.max(1, days.length) * STEP - (STEP - WIDTH);
  return (
    <svg
      className={isLarge ? styles.large : styles.bars}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map(({ day, state, words }, index) => {
        const x = index * STEP;
        const height = {
          operational: HEIGHT,
          down: HEIGHT,
          degraded: HEIGHT / 2,
          paused: 3,
          unknown: HEIGHT,
        }[state];
        return (
          <g key={day} className={styles[state]}>
            <title>{words}</title>
            <rect className={styles.target} x={x} y={0} width={WIDTH} height={HEIGHT} />
            {state === 'unknown' ? (
              <rect x={x + 0.5} y={0.5} width={WIDTH - 1} height={HEIGHT - 1} />
            ) : (
              <rect x={x} y={HEIGHT - height} width={WIDTH} height={height} />
            )}
            {state === 'down' && <path className={styles.hatch} d={hatchAt(x)} />}
          </g>
        );
      })}
    </svg>
  );
}

function hatchAt(x: number): string {
  return [0, 6, 12, 18].map((y) => `M${x} ${y}l${WIDTH} 6M${x + WIDTH} ${y}l${-WIDTH} 6`).join('');
}
