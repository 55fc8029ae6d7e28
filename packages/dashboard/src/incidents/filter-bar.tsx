import chevronIcon from 'virtual:icon/chevron-down';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ListParameter, type ListSearch, STATUS_DEFAULT } from '../api/list-search.ts';
import { servicesQuery } from '../api/projects.ts';
import { useFeature } from '../api/server.ts';
import { SEVERITY_WORDS } from '../shell/triage/severity.tsx';
import { Icon } from '../ui/icon.tsx';
import menuStyles from '../ui/layers/filter-menu.module.css';
import { FilterMenu } from '../ui/layers/filter-menu.tsx';
import { Menu } from '../ui/layers/menu.tsx';
import styles from './filter-bar.module.css';
import { SearchBox } from './search-box.tsx';

const STATUSES = [
  ['active', 'Open'],
  ['resolved', 'Resolved'],
  ['all', 'All'],
] as const;
const FOLDED = ['severity', 'service', 'environment', 'first_seen'] as const;
const SPAN_WORDS = { '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days' };
const SORT_WORDS = {
  last_seen: 'Last seen',
  first_seen: 'First seen',
  occurrences: 'Events',
  severity: 'Severity',
  priority: 'Priority',
};

/** Shows the filters of the list, and its order; every choice is in the address. */
export function FilterBar({
  search,
  projectId,
  onChange,
}: {
  search: ListSearch;
  projectId: string | null;
  onChange: (search: ListSearch) => void;
}) {
  // Their names are needed by menus alone: the first view is there without them.
  const [isNear, setNear] = useState(false);
  const { data: services = [] } = useQuery({ ...servicesQuery(projectId), enabled: isNear });
  const hasSearch = useFeature('incident_search');
  // Only where there is little room they are folded away.
  const [isUnfolded, setUnfolded] = useState(false);
  const on = FOLDED.filter((name) => search[name] !== undefined).length;
  const names = [...new Set(services.map(({ name }) => name))];
  const environments = [...new Set(services.map(({ environment }) => environment))];
  const set = (name: ListParameter, value: string | undefined) => {
    const { [name]: _before, ...rest } = search;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  const filter = (name: ListParameter, label: string, values: readonly (readonly [string, string])[]) => (
    <FilterMenu label={label} value={search[name]} values={values} onChoose={(value) => set(name, value)} />
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing happens here, the menus in it only get ready
    <div className={styles.bar} onPointerEnter={() => setNear(true)} onFocus={() => setNear(true)}>
      <fieldset className={styles.status}>
        <legend className="visually-hidden">Status</legend>
        {STATUSES.map(([value, label]) => (
          <label key={value} className={styles.option}>
            <input
              type="radio"
              name="status"
              checked={(search.status ?? STATUS_DEFAULT) === value}
              onChange={() => set('status', value === STATUS_DEFAULT ? undefined : value)}
            />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <button
        type="button"
        className={`${menuStyles.filter} ${styles.fold}`}
        aria-expanded={isUnfolded}
        onClick={() => setUnfolded(!isUnfolded)}
      >
        Filters {on > 0 && on}
        <Icon path={chevronIcon} size={12} />
      </button>
      <div className={styles.filters}>
        {filter('severity', 'Severity', Object.entries(SEVERITY_WORDS))}
        {filter('service', 'Service', names.map(same))}
        {filter('environment', 'Environment', environments.map(same))}
        {filter('first_seen', 'First seen', Object.entries(SPAN_WORDS))}
      </div>
      {hasSearch && (
        <div className={styles.end}>
          <Menu
            label={`Order: ${wordOf(SORT_WORDS, search.sort ?? 'last_seen')}`}
            side="end"
            triggerClass={menuStyles.filter}
            trigger={
              <>
                <span>{wordOf(SORT_WORDS, search.sort ?? 'last_seen')}</span>
                <Icon path={chevronIcon} size={12} />
              </>
            }
            items={Object.entries(SORT_WORDS).map(([value, label]) => ({
              kind: 'action',
              label,
              isChosen: (search.sort ?? 'last_seen') === value,
              onChoose: () => set('sort', value === 'last_seen' ? undefined : value),
            }))}
          />
          <SearchBox
            value={search.q ?? ''}
            projectId={projectId}
            onChange={(value) => set('q', value === '' ? undefined : value)}
          />
        </div>
      )}
    </div>
  );
}

function wordOf(words: Readonly<Record<string, string>>, key: string): string {
  return words[key] ?? key;
}

function same(text: string): readonly [string, string] {
  return [text, text];
}
