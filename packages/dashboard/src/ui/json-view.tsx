import { useState } from 'react';
import styles from './json-view.module.css';

const SHOWN_AT_ONCE = 200;
const TEXT_SHOWN = 2000;

/**
 * Data of any shape as JSON, unfolded level by level. `show` makes text of unknown origin safe to look at.
 */
export function JsonView({
  value,
  show,
  levels = 2,
}: {
  value: unknown;
  show: (text: string) => string;
  /** The number of levels that are open at first, the outermost included. */
  levels?: number;
}) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} show={show} />;
  return (
    <div className={styles.tree} dir="ltr" translate="no">
      <Entries value={value} show={show} levels={levels - 1} />
    </div>
  );
}

function Entries({ value, show, levels }: { value: object; show: (text: string) => string; levels: number }) {
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  const [hasEmpty, setEmpty] = useState(false);
  const all = Object.entries(value);
  const filled = Array.isArray(value) ? all : all.filter(([, each]) => !isEmpty(each));
  const entries = hasEmpty ? all : filled;
  const emptyCount = all.length - filled.length;
  if (all.length === 0) return <span className={styles.soft}>{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <dl className={styles.entries}>
      {entries.slice(0, limit).map(([name, each]) => (
        <div key={name} className={styles.entry}>
          <dt>{show(name)}</dt>
          <dd>
            {typeof each === 'object' && each !== null ? (
              <Branch value={each} show={show} levels={levels} />
            ) : (
              <Leaf value={each} show={show} />
            )}
          </dd>
        </div>
      ))}
      {(entries.length > limit || (!hasEmpty && emptyCount > 0)) && (
        <div className={styles.rest}>
          {entries.length > limit && (
            <button type="button" className={styles.more} onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
              {entries.length - limit} more
            </button>
          )}
          {!hasEmpty && emptyCount > 0 && (
            <button type="button" className={styles.more} onClick={() => setEmpty(true)}>
              {emptyCount} empty
            </button>
          )}
        </div>
      )}
    </dl>
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function Branch({ value, show, levels }: { value: object; show: (text: string) => string; levels: number }) {
  const [isShown, setShown] = useState(levels > 0);
  const size = Object.keys(value).length;
  if (size === 0) return <Entries value={value} show={show} levels={0} />;
  return (
    <>
      <button
        type="button"
        className={styles.fold}
        aria-expanded={isShown}
        onClick={() => setShown(!isShown)}
      >
        {Array.isArray(value) ? `[${size}]` : `{${size}}`}
      </button>
      {isShown && <Entries value={value} show={show} levels={levels - 1} />}
    </>
  );
}

function Leaf({ value, show }: { value: unknown; show: (text: string) => string }) {
  if (typeof value !== 'string') return <span className={styles.soft}>{String(value)}</span>;
  const text =
    value.length > TEXT_SHOWN ? `${value.slice(0, TEXT_SHOWN)} … (${value.length} characters)` : value;
  const isMark = value.includes('[REDACTED]') || value.includes('[TRUNCATED]');
  return (
    <span className={isMark ? styles.redacted : styles.text} dir="auto">
      {show(text)}
    </span>
  );
}

/** A block without what is not known, and without the number of its form. */
export function withoutEmpty(block: unknown): unknown {
  if (typeof block !== 'object' || block === null || Array.isArray(block)) return block;
  return Object.fromEntries(
    Object.entries(block).filter(([name, value]) => value !== null && name !== 'version'),
  );
}
