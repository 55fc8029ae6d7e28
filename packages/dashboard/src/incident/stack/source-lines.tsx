import type { NumberedLine } from '@culprit/contract/events/source-text';
import { visibleText } from '../../format/event-text.ts';
import styles from './source-lines.module.css';

/** The source around a call, with the line of the call marked. */
export function SourceLines({ lines }: { lines: readonly NumberedLine[] }) {
  const indent = commonIndent(lines.map(({ text }) => text));
  return (
    <pre
      className={styles.source}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label="Source"
      dir="ltr"
      translate="no"
    >
      {lines.map(({ number, text, isCall }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines keep their order
        <code key={index} className={styles.line} data-call={isCall}>
          <span className={styles.number}>{number}</span>
          {visibleText(text.slice(indent))}
          {isCall && <span className="visually-hidden"> (the call)</span>}
          {'\n'}
        </code>
      ))}
    </pre>
  );
}

/** The white space that all lines begin with. */
function commonIndent(lines: readonly string[]): number {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return indents.length === 0 ? 0 : Math.min(...indents);
}
