import { BULK_IDS_MAX } from '@culprit/contract/incidents/incidents';
import { writtenValue } from '@culprit/contract/schemas/written-value';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { lastList, listOf } from '../api/incident-list.ts';
import { rowsOf } from '../api/incident-pages.ts';
import { type ListSearch, readListSearch } from '../api/list-search.ts';
import { projectsQuery } from '../api/projects.ts';
import { asShown, heldStatuses, type StatusChange, type Target } from '../api/status-changes.ts';
import { plural } from '../format/numbers.ts';
import { Breadcrumb } from '../shell/frame/breadcrumb.tsx';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';
import { announce } from '../shell/parts/announce.tsx';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { undo } from '../shell/triage/change-status.ts';
import { Button } from '../ui/button.tsx';
import { SkeletonRows } from '../ui/lists/skeleton.tsx';
import { useSignal } from '../ui/signal.ts';
import type { TriageKind } from './bulk-bar.tsx';
import { useBulkChange } from './bulk-change.ts';
import { FilterBar } from './filter-bar.tsx';
import type { RowFact } from './incident-row.tsx';
import { IncidentTable, type TableHandle } from './incident-table.tsx';
import styles from './incidents-page.module.css';
import { lastRows, useFocusOnReturn, usePlaceOverReload } from './kept-place.ts';
import { ListHead } from './list-head.tsx';
import { useSelection } from './selection.ts';
import { useSteadyRows } from './steady-rows.ts';
import { ViewTabs } from './view-tabs.tsx';

const Peek = lazy(() => import('./peek.tsx').then((module) => ({ default: module.Peek })));
const BulkBar = lazy(() => import('./bulk-bar.tsx').then((module) => ({ default: module.BulkBar })));
const BulkConfirm = lazy(() =>
  import('./bulk-confirm.tsx').then((module) => ({ default: module.BulkConfirm })),
);
const QueryChips = lazy(() => import('./query-chips.tsx').then((module) => ({ default: module.QueryChips })));
const NoIncidents = lazy(() =>
  import('./no-incidents.tsx').then((module) => ({ default: module.NoIncidents })),
);
const ROWS_WHILE_READING = 12;

/** The screen of incidents: what is broken now, what is new or growing, what can be closed. */
export function IncidentsPage() {
  const { pid = null } = useParams({ strict: false });
  const { peek: peekId, ...parameters } = useSearch({ strict: false });
  const search = readListSearch(parameters);
  const navigate = useNavigate();
  const options = listOf(search, pid);
  const name = String(options.queryKey[1]);
  const list = useInfiniteQuery(options);
  const { data: projects = [] } = useQuery(projectsQuery);
  const project = projects.find(({ project_id: id }) => id === pid);
  const held = useSignal(heldStatuses);
  const place = useRef<HTMLDivElement>(null);
  const table = useRef<TableHandle>(null);

  const fresh = useMemo(() => rowsOf(list.data?.pages ?? []), [list.data]);
  const steady = useSteadyRows(name, fresh, () => isInUse(place.current));
  const rows = useMemo(() => steady.rows.map((row) => asShown(row, held)), [steady.rows, held]);
  const order = useMemo(() => steady.rows.map(({ incident_id: id }) => id), [steady.rows]);
  const selection = useSelection(name, order);
  const [activeId, setActiveId] = useState(() => lastRows.get(name) ?? null);
  const active = Math.max(0, activeId === null ? 0 : order.indexOf(activeId));

  useEffect(() => lastList.set({ search: readListSearch(search), projectId: pid }), [search, pid]);
  useFocusOnReturn(name, order, table);
  usePlaceOverReload(name, {
    order,
    async readOn() {
      // A page that is on its way is waited for, not asked for again.
      const read = await list.fetchNextPage({ cancelRefetch: false });
      return read.hasNextPage && !read.isError;
    },
    goTo({ row, offset }) {
      window.scrollTo({ top: offset });
      if (row === null || !order.includes(row)) return;
      setActiveId(row);
      lastRows.set(name, row);
      table.current?.focusRow(order.indexOf(row));
    },
  });

  const goTo = (index: number) => {
    const id = order[Math.min(Math.max(index, 0), order.length - 1)];
    if (id === undefined) return;
    setActiveId(id);
    table.current?.focusRow(order.indexOf(id));
    if (peeked !== undefined) peekAt(id);
  };
  const hasFocus = () => document.activeElement?.closest('[role="row"]') !== null;
  const targets = () => (selection.ids.size > 0 ? [...selection.ids] : order.slice(active, active + 1));
  const bulk = useBulkChange();
  const [opens, setOpens] = useState<TriageKind | null>(null);
  /** Opens a menu of the bar for what is chosen, or else for the row that the keyboard is at. */
  const openMenu = (kind: TriageKind) => {
    const id = order[active];
    if (selection.ids.size === 0 && id !== undefined) selection.set([id]);
    setOpens(kind);
  };
  /** Cuts the list further, to what shares a fact of a row. */
  const filterBy = (fact: RowFact) => {
    if (!('file' in fact)) return change({ ...search, ...fact });
    const term = `file:${writtenValue(fact.file)}`;
    change({ ...search, q: search.q === undefined ? term : `${search.q} ${term}` });
  };
  const changeTo = (to: Target, resolved?: Partial<StatusChange>) =>
    bulk.request({ ids: targets(), to, ...resolved });
  const peeked = rows.find(({ incident_id: id }) => id === peekId);
  const peekAt = (id: string | undefined) =>
    void navigate({ to: '.', search: id === undefined ? search : { ...search, peek: id }, replace: true });
  const change = (next: ListSearch) => void navigate({ to: '.', search: next, replace: true });

  useShortcuts('Incidents', [
    { keys: 'j', label: 'Next incident', run: () => goTo(hasFocus() ? active + 1 : active) },
    { keys: 'k', label: 'Previous incident', run: () => goTo(active - 1) },
    {
      keys: 'ArrowDown',
      label: 'Next incident',
      run: () => goTo(hasFocus() ? active + 1 : active),
      isAlias: true,
    },
    { keys: 'ArrowUp', label: 'Previous incident', run: () => goTo(active - 1), isAlias: true },
    { keys: 'x', label: 'Select', run: () => selection.toggle(order[active] ?? '') },
    {
      keys: 'Shift+X',
      label: 'Select all that are shown, or none',
      run: () => (order.every(selection.has) ? selection.clear() : selection.set(order)),
    },
    {
      keys: 'Shift+J',
      label: 'Extend the selection',
      run: () => {
        selection.set([...selection.ids, ...order.slice(active, active + 2)]);
        goTo(active + 1);
      },
    },
    {
      keys: 'Shift+K',
      label: 'Extend the selection upwards',
      run: () => {
        selection.set([...selection.ids, ...order.slice(Math.max(0, active - 1), active + 1)]);
        goTo(active - 1);
      },
    },
    { keys: 'e', label: 'Resolve', run: () => changeTo('resolved') },
    { keys: 'Shift+E', label: 'Reopen', run: () => changeTo('open') },
    { keys: 'z', label: 'Undo', run: undo },
    { keys: 'a', label: 'Assign', run: () => openMenu('assign') },
    { keys: 'v', label: 'Resolve in a release', run: () => openMenu('release') },
    { keys: 's', label: 'Snooze', run: () => openMenu('snooze') },
    { keys: 'p', label: 'Set the priority', run: () => openMenu('priority') },
    {
      keys: 'Space',
      label: 'Preview',
      run: () => peekAt(peeked?.incident_id === order[active] ? undefined : order[active]),
    },
    {
      keys: 'Escape',
      label: 'Close the preview, then clear the selection',
      run: () => (peeked === undefined ? selection.clear() : peekAt(undefined)),
    },
  ]);

  useSpokenCount(name, list.isSuccess && !list.isPlaceholderData ? rows.length : null, list.hasNextPage);
  const changed = steady.changedCount;
  useEffect(() => {
    if (changed > 0) announce(`${changed} changed`);
  }, [changed]);

  const fetchMore = useCallback(() => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  }, [list.hasNextPage, list.isFetchingNextPage, list.fetchNextPage]);

  /** Reads on until all that match are there, or as many as one action takes. */
  async function selectMatching(): Promise<void> {
    let pages = list.data?.pages ?? [];
    let hasMore = list.hasNextPage;
    while (hasMore && rowsOf(pages).length < BULK_IDS_MAX) {
      const next = await list.fetchNextPage();
      if (next.isError) break;
      pages = next.data?.pages ?? pages;
      hasMore = next.hasNextPage;
    }
    selection.set(
      rowsOf(pages)
        .slice(0, BULK_IDS_MAX)
        .map(({ incident_id: id }) => id),
    );
  }

  const critical = rows.filter(
    ({ severity, status }) => severity === 'critical' && status !== 'resolved',
  ).length;
  return (
    <>
      <Breadcrumb>
        <span>Incidents</span>
      </Breadcrumb>
      <div ref={place} className={styles.page} data-peek={peeked !== undefined}>
        <ListHead
          projects={pid === null ? projects : projects.filter((each) => each === project)}
          project={project}
          isListed={!list.isPending}
          hasSample={rows.some((row) => row.is_sample)}
          windowTitle={`${critical > 0 ? `(${critical}) ` : ''}Incidents${project === undefined ? '' : ` · ${project.name}`}`}
          onChange={change}
        />
        <ViewTabs search={search} projectId={pid} onChange={change} />
        <FilterBar search={search} projectId={pid} onChange={change} />
        {search.q !== undefined && (
          <LazyPart>
            <QueryChips
              query={search.q}
              onChange={(q) => {
                const { q: _before, ...rest } = search;
                change(q === '' ? rest : { ...rest, q });
              }}
            />
          </LazyPart>
        )}
        {changed > 0 && (
          <Button
            className={styles.changed}
            onClick={({ detail }) => {
              steady.adopt();
              // After a key press the button disappears, and the focus moves to the list.
              if (detail === 0) requestAnimationFrame(() => table.current?.focusRow(0));
            }}
          >
            {changed} changed · show
          </Button>
        )}
        {list.isPending && <SkeletonRows rows={ROWS_WHILE_READING} />}
        {list.isError && rows.length === 0 && (
          <PartError error={list.error} retry={() => void list.refetch()} />
        )}
        {list.isSuccess && rows.length === 0 && (
          <LazyPart>
            <NoIncidents search={search} project={project ?? null} onChange={change} />
          </LazyPart>
        )}
        {rows.length > 0 && (
          <IncidentTable
            ref={table}
            rows={rows}
            active={active}
            selection={selection}
            hasProjects={pid === null}
            hasMore={list.hasNextPage}
            onChange={({ incident_id: id, status }) =>
              bulk.request({ ids: [id], to: status === 'resolved' ? 'open' : 'resolved' })
            }
            onAssign={(id) => {
              if (!selection.has(id)) selection.set([id]);
              setOpens('assign');
            }}
            onFilter={filterBy}
            onActive={(index) => {
              const id = order[index] ?? null;
              setActiveId(id);
              if (id !== null) lastRows.set(name, id);
            }}
            onEndNear={fetchMore}
          />
        )}
        {peeked !== undefined && (
          <LazyPart>
            <Peek
              row={peeked}
              onChange={(to) => bulk.request({ ids: [peeked.incident_id], to })}
              onClose={() => peekAt(undefined)}
            />
          </LazyPart>
        )}
        {selection.ids.size > 0 && (
          <LazyPart>
            <BulkBar
              rows={rows}
              selection={selection}
              hasMore={list.hasNextPage}
              opens={opens}
              onOpened={() => setOpens(null)}
              onChange={changeTo}
              onSelectMatching={() => void selectMatching()}
            />
          </LazyPart>
        )}
        {bulk.asking !== null && (
          <LazyPart>
            <BulkConfirm change={bulk.asking} onAnswer={bulk.answer} />
          </LazyPart>
        )}
      </div>
    </>
  );
}

/** Says how many rows there are once other filters have their answer. */
function useSpokenCount(name: string, count: number | null, hasMore: boolean): void {
  const spoken = useRef(name);
  useEffect(() => {
    if (count === null || spoken.current === name) return;
    spoken.current = name;
    announce(`${plural(count, 'incident')}${hasMore ? ' and more' : ''}`);
  }, [name, count, hasMore]);
}

/** Returns true if a person is at a place in the list that must not move. */
function isInUse(place: HTMLElement | null): boolean {
  if (place === null) return false;
  const table = place.querySelector('[role="rowgroup"]');
  return (
    window.scrollY > 0 ||
    table?.matches(':hover') === true ||
    table?.contains(document.activeElement) === true ||
    holdsSelectedText(table) ||
    place.querySelector('[data-selected="true"]') !== null
  );
}

function holdsSelectedText(table: Element | null): boolean {
  const chosen = window.getSelection();
  return table !== null && chosen !== null && !chosen.isCollapsed && chosen.containsNode(table, true);
}
