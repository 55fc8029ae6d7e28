import { useState } from 'react';
import styles from './json-view.module.css';

const SHOWN_AT_ONCE = 200;
const TEXT_SHOWN = 2000;

/**
 * Data of any shape, unfolded level by level. `show` makes text of unknown origin safe to look at.
 */
export function JsonView({
  value,
  show,
  isOpen = true,
}: {
  value: unknown;
  show: (text: string) => string;
  isOpen?: boolean;
}) {
  if (typeof value !== 'object' || value === null) return <Leaf value={value} show={show} />;
  return (
    <div className={styles.tree} dir="ltr" translate="no">
      <Entries value={value} show={show} isOpen={isOpen} />
    </div>
  );
}

function Entries({
  value,
  show,
  isOpen,
}: {
  value: object;
  show: (text: string) => string;
  isOpen: boolean;
}) {
  const [limit, setLimit] = useState(SHOWN_AT_ONCE);
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className={styles.soft}>{Array.isArray(value) ? '[]' : '{}'}</span>;
  return (
    <dl className={styles.entries}>
      {entries.slice(0, limit).map(([name, each]) => (
        <div key={name} className={styles.entry}>
          <dt>{show(name)}</dt>
          <dd>
            {typeof each === 'object' && each !== null ? (
              <Branch value={each} show={show} isOpen={isOpen} />
            ) : (
              <Leaf value={each} show={show} />
            )}
          </dd>
        </div>
      ))}
      {entries.length > limit && (
        <button type="button" className={styles.more} onClick={() => setLimit(limit + SHOWN_AT_ONCE)}>
          {entries.length - limit} more
        </button>
      )}
    </dl>
  );
}

function Branch({ value, show, isOpen }: { value: object; show: (text: string) => string; isOpen: boolean }) {
  const [isShown, setShown] = useState(isOpen);
  const size = Object.keys(value).length;
  if (size === 0) return <Entries value={value} show={show} isOpen={false} />;
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
      {isShown && <Entries value={value} show={show} isOpen={false} />}
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
