import { type Incident, listIncidents } from '@culprit/contract/incidents';
import uFuzzy from '@leeoniya/ufuzzy';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { projectsQuery } from '../api/projects.ts';
import { queryClient } from '../api/query-client.ts';
import { useFeature } from '../api/server.ts';
import { signOut } from '../api/session.ts';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { pathTo } from '../paths.ts';
import { changeAppearance } from './appearance.ts';
import { useNavigation, useOwnScreens } from './navigation.ts';
import styles from './palette-dialog.module.css';
import { useCurrentProject } from './project-of-screen.ts';
import { keysInWords, shownShortcuts } from './shortcuts.tsx';

interface Entry {
  group: string;
  label: string;
  keys?: string;
  /** Where it leads; an action has none. */
  href?: string;
  run?: () => void;
}

const SHOWN_MAX = 30;
const INCIDENTS_MAX = 8;
const SEARCH_FROM_LENGTH = 2;
const RECORD_ID = /^(?:inc|bun)_[\w-]{1,124}$/;
const fuzzy = new uFuzzy({ intraMode: 1 });

/** Finds screens, actions, projects and incidents. It runs nothing that cannot be undone. */
export function PaletteDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const navigate = useNavigate();
  const entries = useEntries(text.trim());
  const isLeaving = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      // Gives the focus back, unless it is for the heading of another screen.
      element?.close();
      const { activeElement } = document;
      if (isLeaving.current && activeElement instanceof HTMLElement) activeElement.blur();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words bring another list
  useEffect(() => setAt(0), [text]);
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, at]);

  function choose(entry: Entry | undefined, isNewTab: boolean): void {
    if (entry === undefined) return;
    isLeaving.current = entry.href !== undefined && !isNewTab;
    onClose();
    if (entry.href === undefined) entry.run?.();
    else if (isNewTab) window.open(entry.href, '_blank', 'noopener,noreferrer');
    else void navigate({ to: entry.href });
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, which the browser does itself
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Search or run a command"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        className={styles.input}
        role="combobox"
        aria-label="Search or run a command"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        placeholder="A screen, an action, a project, an incident or its id"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const moves: Readonly<Record<string, number>> = {
            ArrowDown: (at + 1) % Math.max(1, entries.length),
            ArrowUp: (at - 1 + entries.length) % Math.max(1, entries.length),
          };
          const next = moves[event.key];
          if (next !== undefined) {
            event.preventDefault();
            setAt(next);
          } else if (event.key === 'Enter') {
            event.preventDefault();
            choose(entries[at], event.ctrlKey || event.metaKey);
          }
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Results" className={styles.list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={`${entry.group} ${entry.label} ${entry.href ?? ''} ${entry.keys ?? ''}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            className={styles.entry}
            onClick={(event) => choose(entry, event.ctrlKey || event.metaKey)}
            onPointerMove={() => setAt(index)}
          >
            <span className={styles.label}>{entry.label}</span>
            <span className={styles.group}>{entry.keys ?? entry.group}</span>
          </div>
        ))}
        {entries.length === 0 && <p className={styles.none}>Nothing has this name.</p>}
      </div>
    </dialog>
  );
}

function useEntries(text: string): Entry[] {
  const project = useCurrentProject();
  const navigation = useNavigation();
  const ownScreens = useOwnScreens();
  const { data: projects = [] } = useQuery(projectsQuery);
  const found = useFoundIncidents(text);
  const own: Entry[] = [
    ...[...shownShortcuts.get()].flatMap(([part, shortcuts]) =>
      part === 'Everywhere' || part === 'Go to' || part === 'Help'
        ? []
        : shortcuts
            .filter(({ isAlias }) => isAlias !== true)
            .map(({ label, keys, run }) => ({ group: part, label, keys: keysInWords(keys), run })),
    ),
    ...(project === null
      ? []
      : navigation.flatMap(({ entries }) =>
          entries.map(({ label, to, key }) => ({
            group: 'Screen',
            label,
            href: pathTo(to, { pid: project.project_id }),
            ...(key === null ? {} : { keys: `G then ${key}` }),
          })),
        )),
    ...ownScreens.map(({ label, to, key }) => ({
      group: 'Screen',
      label,
      href: pathTo(to),
      ...(key === null ? {} : { keys: `G then ${key}` }),
    })),
    { group: 'Screen', label: 'Your settings', href: pathTo('settings') },
    { group: 'Screen', label: 'Incidents of all projects', href: pathTo('allIncidents') },
    { group: 'Screen', label: 'New project', href: pathTo('welcome') },
    ...projects.map(({ name, project_id: pid }) => ({
      group: 'Project',
      label: visibleLine(name),
      href: pathTo('incidents', { pid }),
    })),
    { group: 'Theme', label: 'Light theme', run: () => changeAppearance({ theme: 'light' }) },
    { group: 'Theme', label: 'Dark theme', run: () => changeAppearance({ theme: 'dark' }) },
    { group: 'Theme', label: 'Theme as the system', run: () => changeAppearance({ theme: 'system' }) },
    { group: 'Account', label: 'Sign out', run: () => void signOut() },
  ];
  const exact: Entry[] = RECORD_ID.test(text)
    ? [{ group: 'Incident', label: text, href: pathTo('incident', { id: text }) }]
    : [];
  const incidents = found.map(
    ({ title, incident_id: id }): Entry => ({
      group: 'Incident',
      label: visibleLine(title),
      href: pathTo('incident', { id }),
    }),
  );
  return [...exact, ...matching(own, text), ...incidents].slice(0, SHOWN_MAX);
}

function matching(entries: readonly Entry[], text: string): Entry[] {
  if (text === '') return [...entries];
  const labels = entries.map(({ group, label }) => `${label} ${group}`);
  const [ids, , order] = fuzzy.search(labels, text);
  const ranked =
    order === null || order === undefined ? (ids ?? []) : order.map((place) => ids?.[place] ?? 0);
  return ranked.flatMap((index) => entries[index] ?? []);
}

/** Incidents whose title holds the text: asked for where the server searches, else those that were read before. */
function useFoundIncidents(text: string): readonly Incident[] {
  const hasSearch = useFeature('incident_search');
  const isWanted = text.length >= SEARCH_FROM_LENGTH;
  const { data = [] } = useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }) =>
      (await bodyOf(client.call(listIncidents, { query: { q: text, limit: INCIDENTS_MAX }, signal })))
        .incidents,
    enabled: hasSearch && isWanted,
    staleTime: 5000,
    placeholderData: keepPreviousData,
  });
  if (!isWanted) return [];
  return hasSearch ? data : readBefore(text);
}

function readBefore(text: string): Incident[] {
  const lists = queryClient.getQueriesData<{ pages?: { incidents: Incident[] }[] }>({
    queryKey: [listIncidents.id],
  });
  const rows = lists.flatMap(([, list]) => (list?.pages ?? []).flatMap(({ incidents }) => incidents));
  const wanted = text.toLowerCase();
  return rows.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, INCIDENTS_MAX);
}
