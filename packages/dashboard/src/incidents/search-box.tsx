import searchIcon from 'virtual:icon/search';
import { QUERY_CHARS_MAX } from '@culprit/contract/query-limits';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useCallback, useId, useRef, useState } from 'react';
import { useFeature } from '../api/server.ts';
import { pathTo } from '../paths.ts';
import { LazyPart } from '../shell/lazy-part.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { Icon } from '../ui/icon.tsx';
import { useTyped } from '../ui/use-typed.ts';
import styles from './search-box.module.css';

const SearchSuggestions = lazy(() =>
  import('./search-suggestions.tsx').then((module) => ({ default: module.SearchSuggestions })),
);

/** The ids that lead straight to a record. */
const RECORD_ID = /^(?:inc|bun)_[\w-]{1,124}$/;

/** The form of ids that applications generate: one word that is long and has a digit. */
const SENT_ID = /^(?=.*\d)[\w:.-]{8,128}$/;

/** Searches incidents by words and filters; an id goes to its record. */
export function SearchBox({
  value,
  projectId,
  onChange,
}: {
  value: string;
  projectId: string | null;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useTyped(value, onChange);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [queries, setQueries] = useState<readonly string[]>([]);
  const hasLanguage = useFeature('query_language');
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const navigate = useNavigate();
  useShortcuts('Search', [{ keys: '/', label: 'Search', run: () => input.current?.focus() }]);
  const onFound = useCallback((found: readonly string[]) => {
    setQueries(found);
    setActive(-1);
  }, []);
  const isListed = isOpen && hasLanguage;
  const write = (next: string) => {
    setText(next);
    setOpen(true);
  };
  /** An event, trace, request or session leads to its incident; other text is searched. */
  async function goToSender(id: string): Promise<void> {
    const incident = await import('./incident-of-id.ts')
      .then(({ incidentOfId }) => incidentOfId(id))
      // If the look-up cannot be loaded, the words can still be searched.
      .catch(() => null);
    if (incident === null) onChange(id);
    else void navigate({ to: pathTo('incident', { id: incident }) });
  }

  return (
    <form
      className={styles.box}
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setOpen(false);
        const query = text.trim();
        if (RECORD_ID.test(query)) void navigate({ to: pathTo('incident', { id: query }) });
        else if (SENT_ID.test(query)) void goToSender(query);
        else onChange(query);
      }}
    >
      <Icon path={searchIcon} size={14} />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search incidents"
        aria-expanded={isListed && queries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isListed && active >= 0 ? `${listId}-${active}` : undefined}
        placeholder="Search, or service: is: tag.…"
        maxLength={QUERY_CHARS_MAX}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (isListed && queries.length > 0) {
              event.preventDefault();
              setOpen(false);
              setQueries([]);
            } else input.current?.blur();
          }
          if (!isListed || queries.length === 0) return;
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setActive(((active + 1 + step + queries.length + 1) % (queries.length + 1)) - 1);
          }
          const chosen = queries[active];
          if (event.key === 'Enter' && chosen !== undefined) {
            event.preventDefault();
            write(chosen);
          }
        }}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
      {isListed && (
        <LazyPart>
          <SearchSuggestions
            id={listId}
            text={text}
            projectId={projectId}
            active={active}
            onFound={onFound}
            onChoose={(query) => {
              write(query);
              input.current?.focus();
            }}
          />
        </LazyPart>
      )}
    </form>
  );
}
