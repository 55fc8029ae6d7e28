import searchIcon from 'virtual:icon/search';
import { QUERY_CHARS_MAX } from '@culprit/contract/search/query-limits';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { pathTo } from '../paths.ts';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { QueryInput } from '../shell/parts/query-input.tsx';
import { useTyped } from '../ui/fields/use-typed.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './search-box.module.css';

/** An id that leads directly to a record. */
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
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  useShortcuts('Search', [{ keys: '/', label: 'Search', run: () => input.current?.focus() }]);
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
        const query = text.trim();
        if (RECORD_ID.test(query)) void navigate({ to: pathTo('incident', { id: query }) });
        else if (SENT_ID.test(query)) void goToSender(query);
        else onChange(query);
      }}
    >
      <Icon path={searchIcon} size={14} />
      <QueryInput
        input={input}
        aria-label="Search incidents"
        text={text}
        projectId={projectId}
        placeholder="Search, or service: is: tag.…"
        maxLength={QUERY_CHARS_MAX}
        onText={setText}
        onLeave={() => input.current?.blur()}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
    </form>
  );
}
