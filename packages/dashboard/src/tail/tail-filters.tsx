import { useRef } from 'react';
import { TYPE_WORDS } from '../format/event-words.ts';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { ServiceFilters } from '../shell/parts/service-filters.tsx';
import { useTyped } from '../ui/fields/use-typed.ts';
import { FilterMenu } from '../ui/layers/filter-menu.tsx';
import styles from './tail-page.module.css';
import { LEVEL_WORDS, type TailSearch } from './tail-query.ts';

const LENGTH_MAX = 200;

/** Shows the filters of the live events. */
export function TailFilters({
  pid,
  search,
  onChange,
}: {
  pid: string;
  search: TailSearch;
  onChange: (search: TailSearch) => void;
}) {
  const set = (name: keyof TailSearch) => (value: string | undefined) => {
    const { [name]: _before, ...rest } = search;
    onChange(value === undefined || value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <>
      <FilterMenu
        label="Type"
        value={search.type}
        values={Object.entries(TYPE_WORDS)}
        onChoose={set('type')}
      />
      <FilterMenu
        label="Level"
        value={search.level}
        values={Object.entries(LEVEL_WORDS)}
        onChoose={set('level')}
      />
      <ServiceFilters pid={pid} search={search} set={set} />
      <Contains value={search.q ?? ''} onChange={set('q')} />
    </>
  );
}

function Contains({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useTyped(value, onChange);
  const input = useRef<HTMLInputElement>(null);
  useShortcuts('Search', [{ keys: '/', label: 'Search', run: () => input.current?.focus() }]);
  return (
    <input
      ref={input}
      className={styles.contains}
      type="search"
      aria-label="Contains"
      placeholder="contains…"
      maxLength={LENGTH_MAX}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') input.current?.blur();
      }}
    />
  );
}
