import { MERGED_INCIDENTS_MAX } from '@culprit/contract/incidents/incident-grouping';
import { BULK_IDS_MAX, type Incident } from '@culprit/contract/incidents/incidents';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { projectsQuery } from '../api/projects.ts';
import type { ResolvedChange, Target } from '../api/status-changes.ts';
import { fullCount, plural } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { refusalFor } from '../shell/parts/roles.ts';
import { mergeWithUndo } from '../shell/triage/merge-incidents.ts';
import { ResolveMenu } from '../shell/triage/resolve-menu.tsx';
import { AssignMenu, type MenuHandle, PriorityMenu, SnoozeMenu } from '../shell/triage/triage-menus.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import styles from './bulk-bar.module.css';
import { refusalOfCount } from './bulk-change.ts';
import type { Selection } from './selection.ts';

/** The decisions about incidents that have a menu. */
export type TriageKind = 'assign' | 'snooze' | 'priority' | 'release';

/** Shows the actions for exactly the rows that are chosen. */
export function BulkBar({
  rows,
  selection,
  hasMore,
  opens,
  onOpened,
  onChange,
  onSelectMatching,
}: {
  rows: readonly Incident[];
  selection: Selection;
  /** True if more incidents match than were read. */
  hasMore: boolean;
  /** The menu that a key opens. */
  opens: TriageKind | null;
  onOpened: () => void;
  onChange: (to: Target, resolved?: ResolvedChange) => void;
  onSelectMatching: () => void;
}) {
  const { data: projects } = useQuery(projectsQuery);
  const menus = {
    assign: useRef<MenuHandle>(null),
    snooze: useRef<MenuHandle>(null),
    priority: useRef<MenuHandle>(null),
    release: useRef<MenuHandle>(null),
  };
  useEffect(() => {
    if (opens !== null) menus[opens].current?.open();
    if (opens !== null) onOpened();
  });
  const ids = [...selection.ids];
  const chosen = rows.filter(({ incident_id: id }) => selection.has(id));
  const refusal = refusalOfCount(ids.length);
  const isAllResolved = chosen.every(({ status }) => status === 'resolved');
  const isNoneResolved = chosen.every(({ status }) => status !== 'resolved');
  const isOneService = new Set(chosen.map(({ service_id: id }) => id)).size === 1;
  return (
    <div className={styles.bar} role="region" aria-label="Chosen incidents" data-bar="wide">
      <span className={styles.count}>
        {hasMore && ids.length === BULK_IDS_MAX ? 'the first ' : ''}
        {fullCount(ids.length)} selected
      </span>
      {hasMore && chosen.length === rows.length && ids.length < BULK_IDS_MAX && (
        <Button onClick={onSelectMatching}>Select all that match</Button>
      )}
      <Button
        kind="primary"
        keys="E"
        refusal={refusal ?? (isAllResolved ? 'All are resolved' : null)}
        onClick={() => onChange('resolved')}
      >
        Resolve {plural(ids.length, 'incident')}
      </Button>
      <Button
        refusal={refusal ?? (isNoneResolved ? 'None are resolved' : null)}
        onClick={() => onChange('open')}
      >
        Reopen
      </Button>
      {refusal === null && !isAllResolved && (
        <ResolveMenu
          placement="above"
          ref={menus.release}
          onResolve={(resolved) => onChange('resolved', resolved)}
        />
      )}
      <SnoozeMenu incidents={chosen} placement="above" ref={menus.snooze} />
      <AssignMenu incidents={chosen} placement="above" ref={menus.assign} />
      <PriorityMenu incidents={chosen} placement="above" ref={menus.priority} />
      {ids.length > 1 && ids.length <= MERGED_INCIDENTS_MAX && (
        <Button
          refusal={
            isOneService
              ? refusalFor(
                  'admin',
                  projects?.find(({ project_id: id }) => id === chosen[0]?.project_id),
                )
              : 'Only incidents of one service can be merged'
          }
          onClick={() => {
            void mergeWithUndo(ids);
            selection.clear();
          }}
        >
          Merge
        </Button>
      )}
      <CopyButton
        label="Copy links"
        text={() => ids.map((id) => `${location.origin}${pathTo('incident', { id })}`).join('\n')}
      />
      <Button kind="quiet" keys="Esc" onClick={selection.clear}>
        Clear
      </Button>
    </div>
  );
}
