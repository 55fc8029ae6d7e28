import { openTerm } from '@culprit/contract/search/query-completion';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryReading } from '../../api/query-reading.ts';
import { visibleLine } from '../../format/event-text.ts';
import styles from './query-suggestions.module.css';

/** The completions of a query, as the list of its combobox. */
export function QuerySuggestions({
  id,
  text,
  projectId,
  active,
  onFound,
  onChoose,
}: {
  id: string;
  text: string;
  projectId: string | null;
  active: number;
  /** Hands the completed queries to the box, which moves through them by keys. */
  onFound: (queries: readonly string[]) => void;
  onChoose: (query: string) => void;
}) {
  const { data } = useQuery(queryReading(text, projectId));
  const suggestions = data?.suggestions ?? [];
  const start = openTerm(text)?.start ?? text.length;
  const queries = suggestions.map((each) => text.slice(0, start) + each.text);
  const found = queries.join('\n');
  // The texts of the queries show whether they have changed.
  useEffect(() => onFound(found === '' ? [] : found.split('\n')), [found, onFound]);
  if (suggestions.length === 0) return null;
  return (
    <div id={id} role="listbox" aria-label="Suggestions" className={styles.suggestions}>
      {suggestions.map((each, n) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of a combobox are those of its input
        <div
          key={each.text}
          id={`${id}-${n}`}
          role="option"
          tabIndex={-1}
          aria-selected={n === active}
          className={styles.suggestion}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(queries[n] ?? text)}
        >
          <span translate="no">{visibleLine(each.text)}</span>
          <span className={styles.hint}>{each.hint}</span>
        </div>
      ))}
    </div>
  );
}
