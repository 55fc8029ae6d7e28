import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { useMemo, useState } from 'react';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Section } from '../../ui/section.tsx';
import levelStyles from '../level.module.css';
import { type EntryKind, offsetWords, otherEvents, type TimelineEntry, timelineOf } from './timeline.ts';
import styles from './timeline-section.module.css';
import { type Range, TimelineStrip } from './timeline-strip.tsx';

const PAUSE_MS = 10_000;
/** The number of rows at first: for most uses, those of a long trail that are nearest to the failure are enough. */
const ROWS_AT_FIRST = 12;
const KIND_WORDS: Readonly<Record<EntryKind, string>> = {
  route: 'pages',
  click: 'clicks',
  form: 'forms',
  console: 'console',
  request: 'requests',
  exception: 'exceptions',
  log: 'logs',
  probe: 'probes',
  deploy: 'deploys',
  error: 'the failure',
};

/** Shows the events in browser and server, on one axis whose zero is the failure. */
export function Timeline({ bundle }: { bundle: DebugBundle }) {
  const entries = useMemo(() => timelineOf(bundle), [bundle]);
  const others = useMemo(() => otherEvents(bundle, entries), [bundle, entries]);
  const [isAll, setAll] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<EntryKind>>(new Set());
  const [range, setRange] = useState<Range | null>(null);
  if (entries.length < 2) return null;
  const kinds = [...new Set(entries.map(({ kind }) => kind))].filter((kind) => kind !== 'error');
  const shown = entries.filter(({ kind, offsetMs }) => !hidden.has(kind) && isIn(range, offsetMs));
  const rows = isAll || shown.length <= ROWS_AT_FIRST + 2 ? shown : nearest(shown, ROWS_AT_FIRST);
  const hasBoth = new Set(entries.map(({ lane }) => lane)).size > 1;
  const toggle = (kind: EntryKind) => {
    const next = new Set(hidden);
    if (!next.delete(kind)) next.add(kind);
    setHidden(next);
  };
  return (
    <Section
      id="timeline"
      title="Before the error"
      note={plural(entries.length, 'entry', 'entries')}
      actions={
        kinds.length > 1 && (
          <div className={styles.filters}>
            {kinds.map((kind) => (
              <button key={kind} type="button" aria-pressed={!hidden.has(kind)} onClick={() => toggle(kind)}>
                {KIND_WORDS[kind]}
              </button>
            ))}
          </div>
        )
      }
    >
      <TimelineStrip entries={entries} others={others} range={range} onRange={setRange} />
      <div className={styles.lanes} data-both={hasBoth}>
        {hasBoth && (
          <div className={styles.head} aria-hidden="true">
            <span />
            <span>Browser</span>
            <span>Server</span>
          </div>
        )}
        <ol>
          {rows.map((entry, index) => (
            <Entry key={entry.key} entry={entry} before={rows[index - 1] ?? null} />
          ))}
        </ol>
      </div>
      {rows.length < shown.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show {shown.length - rows.length} more entries
        </Button>
      )}
      {hasBoth && <p className={styles.note}>Browser and server clocks may differ.</p>}
    </Section>
  );
}

/** A run of entries that ends a little after the failure. */
function nearest(entries: readonly TimelineEntry[], most: number): readonly TimelineEntry[] {
  const failure = entries.findIndex(({ isFailure }) => isFailure);
  const end = Math.min(entries.length, (failure === -1 ? entries.length : failure) + 3);
  return entries.slice(Math.max(0, end - most), Math.max(end, most));
}

function isIn(range: Range | null, offsetMs: number | null): boolean {
  return range === null || (offsetMs !== null && offsetMs >= range.fromMs && offsetMs <= range.toMs);
}

function Entry({ entry, before }: { entry: TimelineEntry; before: TimelineEntry | null }) {
  const pause =
    entry.offsetMs !== null && before?.offsetMs !== null && before !== null
      ? entry.offsetMs - before.offsetMs
      : 0;
  const hasData = typeof entry.data === 'object' && entry.data !== null && Object.keys(entry.data).length > 0;
  const words = (
    <>
      <span className="visually-hidden">{entry.lane}: </span>
      {entry.level !== null && entry.level !== 'info' && !entry.isFailure && (
        <span className={`${levelStyles.level} ${styles.level}`} data-level={entry.level}>
          {visibleLine(entry.level)}
        </span>
      )}
      <span dir="auto" translate="no">
        {visibleLine(entry.text)}
      </span>
    </>
  );
  return (
    <>
      {pause > PAUSE_MS && (
        <li className={styles.pause} aria-hidden="true">
          … {offsetWords(pause).slice(1)} …
        </li>
      )}
      <li className={styles.entry} data-lane={entry.lane} data-failure={entry.isFailure}>
        <span className={styles.offset}>{offsetWords(entry.offsetMs)}</span>
        {hasData ? (
          <details className={styles.words}>
            <summary>{words}</summary>
            <JsonView value={entry.data} show={visibleText} levels={1} />
          </details>
        ) : (
          <p className={styles.words}>{words}</p>
        )}
      </li>
    </>
  );
}
