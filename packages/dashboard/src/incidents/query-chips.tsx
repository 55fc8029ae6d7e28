import { misspelledKey, readQuery } from '@culprit/contract/search/incident-query';
import { visibleLine } from '../format/event-text.ts';
import styles from './query-chips.module.css';

/** Shows how the query was read, term by term; each can be removed. */
export function QueryChips({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const { terms, fault } = readQuery(query);
  const isPlain = terms.every((term) => term.kind === 'text' && !term.isNegated && !term.isPhrase);
  const problem = fault === null ? misspelledKey(terms) : `The query ${fault.words}.`;
  if (terms.length === 0 || (isPlain && problem === null)) return null;
  return (
    <div className={styles.chips}>
      <ul aria-label="Terms of the search">
        {terms.map((term, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a term may be there twice
          <li key={n}>
            <button
              type="button"
              className={styles.chip}
              data-kind={term.kind}
              aria-label={`Remove ${visibleLine(term.source)}`}
              onClick={() => onChange(terms.flatMap((each, m) => (m === n ? [] : [each.source])).join(' '))}
            >
              {term.kind === 'text' && (
                <span className={styles.sort}>{term.isNegated ? 'not text' : 'text'}</span>
              )}
              <span translate="no" dir="auto">
                {visibleLine(term.kind === 'text' ? term.text : term.source)}
              </span>
              <span aria-hidden="true">×</span>
            </button>
          </li>
        ))}
      </ul>
      {problem !== null && (
        <p className={styles.problem} role="status">
          {problem}
        </p>
      )}
    </div>
  );
}
