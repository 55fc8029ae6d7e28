import type { ReactNode } from 'react';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { type MapProblem, mapLines } from './frames.ts';
import styles from './stack.module.css';

/** The reasons why frames of a stack are not mapped, with their next steps. Nothing if there are none. */
export function MapProblems({ maps }: { maps: readonly MapProblem[] }) {
  if (maps.length === 0) return null;
  return (
    <ul className={styles.maps} aria-label="Source maps">
      {mapLines(maps).map(({ words, hint, frames: count }) => (
        <li key={words}>
          {plural(count, 'frame')} not mapped: {visibleLine(words)} <span>{withCommands(hint)}</span>
        </li>
      ))}
    </ul>
  );
}

/** A text with commands between backticks. */
export function withCommands(text: string): ReactNode[] {
  return (
    visibleLine(text)
      .split('`')
      // biome-ignore lint/suspicious/noArrayIndexKey: parts keep their order
      .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
  );
}
