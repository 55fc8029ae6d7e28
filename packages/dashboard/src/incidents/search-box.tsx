import searchIcon from 'virtual:icon/search';
import { lookUpId } from '@culprit/contract/lookup';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { client } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { Icon } from '../ui/icon.tsx';
import { useTyped } from '../ui/use-typed.ts';
import styles from './search-box.module.css';

const LENGTH_MAX = 200;
/** What leads straight to a record. */
const RECORD_ID = /^(?:inc|bun)_[\w-]{1,124}$/;

/** What an application may have made as an id: one word that is long and has a digit. */
const SENT_ID = /^(?=.*\d)[\w:.-]{8,128}$/;

/** Searches titles; an id goes to its record. */
export function SearchBox({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useTyped(value, onChange);
  const input = useRef<HTMLInputElement>(null);
  const navigate = useNavigate();
  useShortcuts('Search', [{ keys: '/', label: 'Search', run: () => input.current?.focus() }]);
  /** An event, trace, request or session leads to its incident; other text is searched in titles. */
  async function goToSender(id: string): Promise<void> {
    const result = await client.call(lookUpId, { query: { id } });
    const match = result.ok
      ? result.body.matches.find(({ incident_id: incident }) => incident !== null)
      : null;
    const incident = match?.incident_id ?? null;
    if (incident === null) onChange(id);
    else void navigate({ to: pathTo('incident', { id: incident }) });
  }

  return (
    <form
      className={styles.box}
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const id = text.trim();
        if (RECORD_ID.test(id)) void navigate({ to: pathTo('incident', { id }) });
        else if (SENT_ID.test(id)) void goToSender(id);
        else onChange(id);
      }}
    >
      <Icon path={searchIcon} size={14} />
      <input
        ref={input}
        type="search"
        aria-label="Search titles and ids"
        placeholder="Search titles and ids"
        maxLength={LENGTH_MAX}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') input.current?.blur();
        }}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
    </form>
  );
}
