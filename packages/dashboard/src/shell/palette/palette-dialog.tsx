import appsIcon from 'virtual:icon/apps';
import issueIcon from 'virtual:icon/issue-opened';
import paintIcon from 'virtual:icon/paintbrush';
import personIcon from 'virtual:icon/person';
import plusIcon from 'virtual:icon/plus';
import signOutIcon from 'virtual:icon/sign-out';
import actionIcon from 'virtual:icon/triangle-right';
import { getIncident, type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import uFuzzy from '@leeoniya/ufuzzy';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { projectsQuery } from '../../api/projects.ts';
import { queryClient } from '../../api/query-client.ts';
import { useFeature } from '../../api/server.ts';
import { signOut } from '../../api/session.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { pathTo } from '../../paths.ts';
import { keyName } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { changeAppearance } from '../frame/appearance.ts';
import { type ScreenEntry, useNavigation, useOwnScreens } from '../frame/navigation.ts';
import { useCurrentProject } from '../frame/project-of-screen.ts';
import styles from './palette-dialog.module.css';
import { keysInWords, shownShortcuts } from './shortcuts.tsx';

interface Entry {
  kind: string;
  /** The part of the list that has it while nothing was typed. */
  group: 'Recent incidents' | 'Actions' | 'Go to';
  icon: string;
  label: string;
  keys?: string;
  /** The target of a link; an action has none. */
  href?: string;
  run?: () => void;
}

const SHOWN_MAX = 30;
const INCIDENTS_MAX = 8;
const RECENT_MAX = 5;
/** The keys that move a cursor; they are no actions to search for. */
const MOTIONS = /^(?:Shift\+)?(?:[jk[\],.x/z\d]|Space|Escape)$/i;
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
      aria-label="Search or jump to"
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
        aria-label="Search or jump to"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${at}`}
        aria-autocomplete="list"
        placeholder="Search incidents, screens, actions and projects"
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
          <Fragment key={`${entry.kind} ${entry.label} ${entry.href ?? ''} ${entry.keys ?? ''}`}>
            {text.trim() === '' && entry.group !== entries[index - 1]?.group && (
              <div className={styles.title} aria-hidden="true">
                {entry.group}
              </div>
            )}
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys */}
            <div
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              className={styles.entry}
              onClick={(event) => choose(entry, event.ctrlKey || event.metaKey)}
              onPointerMove={() => setAt(index)}
            >
              <Icon path={entry.icon} />
              <span className={styles.label}>{entry.label}</span>{' '}
              <span className={styles.kind}>{entry.kind}</span>
              {entry.keys !== undefined && <span className={styles.keys}> {entry.keys}</span>}
            </div>
          </Fragment>
        ))}
        {entries.length === 0 && <p className={styles.none}>No results.</p>}
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
  const recent = useRecentIncidents(text === '' ? (project?.project_id ?? null) : undefined);
  const actions: Entry[] = [...shownShortcuts.get()].flatMap(([part, shortcuts]) =>
    part === 'Everywhere' || part === 'Go to' || part === 'Help' || part === 'Search'
      ? []
      : shortcuts
          .filter(({ isAlias, keys }) => isAlias !== true && !MOTIONS.test(keys))
          .map(({ label, keys, run }) => ({
            group: 'Actions',
            kind: part,
            icon: actionIcon,
            label,
            keys: keysInWords(keys),
            run,
          })),
  );
  const screenOf = (kind: string, pid: string, { label, icon, to, key }: ScreenEntry): Entry => ({
    group: 'Go to',
    kind,
    icon,
    label,
    href: pathTo(to, { pid }),
    ...(key === null ? {} : { keys: `G then ${keyName(key)}` }),
  });
  const goTo = (kind: string, icon: string, label: string, href: string): Entry => ({
    group: 'Go to',
    kind,
    icon,
    label,
    href,
  });
  const act = (kind: string, icon: string, label: string, run: () => void): Entry => ({
    group: 'Go to',
    kind,
    icon,
    label,
    run,
  });
  const screens: Entry[] = [
    ...(project === null
      ? []
      : navigation.flatMap((entry) =>
          entry.screens === undefined
            ? [screenOf('Screen', project.project_id, entry)]
            : entry.screens.map((screen, index) =>
                screenOf(entry.label, project.project_id, {
                  ...screen,
                  key: screen.key ?? (index === 0 ? entry.key : null),
                }),
              ),
        )),
    ...ownScreens.map((screen) => screenOf('Screen', '', screen)),
    goTo('Screen', personIcon, 'Your settings', pathTo('settings')),
    goTo('Screen', issueIcon, 'Incidents of all projects', pathTo('allIncidents')),
    goTo('Screen', plusIcon, 'New project', pathTo('welcome')),
    ...projects.map(({ name, project_id: pid }) =>
      goTo('Project', appsIcon, visibleLine(name), pathTo('incidents', { pid })),
    ),
    act('Theme', paintIcon, 'Light theme', () => changeAppearance({ theme: 'light' })),
    act('Theme', paintIcon, 'Dark theme', () => changeAppearance({ theme: 'dark' })),
    act('Theme', paintIcon, 'System theme', () => changeAppearance({ theme: 'system' })),
    act('Account', signOutIcon, 'Sign out', () => void signOut()),
  ];
  const incidentOf = ({ title, incident_id: id }: Pick<Incident, 'title' | 'incident_id'>): Entry => ({
    group: 'Recent incidents',
    kind: 'Incident',
    icon: issueIcon,
    label: visibleLine(title),
    href: pathTo('incident', { id }),
  });
  if (text === '') return [...recent.map(incidentOf), ...actions, ...screens];
  const exact = RECORD_ID.test(text) ? [incidentOf({ title: text, incident_id: text })] : [];
  return [...exact, ...matching([...actions, ...screens], text), ...found.map(incidentOf)].slice(
    0,
    SHOWN_MAX,
  );
}

function matching(entries: readonly Entry[], text: string): Entry[] {
  const labels = entries.map(({ kind, label }) => `${label} ${kind}`);
  const [ids, , order] = fuzzy.search(labels, text);
  const ranked =
    order === null || order === undefined ? (ids ?? []) : order.map((place) => ids?.[place] ?? 0);
  return ranked.flatMap((index) => entries[index] ?? []);
}

/** The incidents that were opened in this tab, then the latest of the project; undefined asks for none. */
function useRecentIncidents(projectId: string | null | undefined): readonly Incident[] {
  const { data: latest = [] } = useQuery({
    queryKey: ['palette', 'recent', projectId],
    queryFn: async ({ signal }) => {
      const query = {
        limit: RECENT_MAX,
        ...(projectId === null || projectId === undefined ? {} : { project_id: projectId }),
      };
      return (await call(listIncidents, { query, signal })).incidents;
    },
    enabled: projectId !== undefined,
    staleTime: 5000,
  });
  if (projectId === undefined) return [];
  const opened = queryClient
    .getQueryCache()
    .findAll({ queryKey: [getIncident.id] })
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
    .flatMap(({ queryKey }) => queryClient.getQueryData<Incident>(queryKey) ?? []);
  const byId = new Map([...opened, ...latest].map((incident) => [incident.incident_id, incident]));
  return [...byId.values()].slice(0, RECENT_MAX);
}

/** Incidents whose title holds the text: asked for where the server searches, else those that were read before. */
function useFoundIncidents(text: string): readonly Incident[] {
  const hasSearch = useFeature('incident_search');
  const isWanted = text.length >= SEARCH_FROM_LENGTH;
  const { data = [] } = useQuery({
    queryKey: ['palette', text],
    queryFn: async ({ signal }) =>
      (await call(listIncidents, { query: { q: text, limit: INCIDENTS_MAX }, signal })).incidents,
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
