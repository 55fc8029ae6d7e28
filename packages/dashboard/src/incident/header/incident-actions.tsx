import moreIcon from 'virtual:icon/kebab-horizontal';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import { bundleAgentText, bundleMarkdown } from '@culprit/contract/incidents/bundle-text';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { codeLink } from '@culprit/contract/releases/repository-links';
import { useNavigate } from '@tanstack/react-router';
import { lazy, useEffect, useRef, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { projectQuery } from '../../api/projects.ts';
import { queryClient } from '../../api/query-client.ts';
import { changeSampleData } from '../../api/sample-data.ts';
import { pathTo } from '../../paths.ts';
import { type Shortcut, useShortcuts } from '../../shell/palette/shortcuts.tsx';
import { LazyPart } from '../../shell/parts/lazy-part.tsx';
import { showToast } from '../../shell/parts/toasts.tsx';
import { changeStatus, undo } from '../../shell/triage/change-status.ts';
import { ResolveMenu } from '../../shell/triage/resolve-menu.tsx';
import { AssignMenu, type MenuHandle, PriorityMenu, SnoozeMenu } from '../../shell/triage/triage-menus.tsx';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/layers/menu.tsx';
import styles from './incident-actions.module.css';

const RuleDialog = lazy(async () => ({ default: (await import('./rule-dialog.tsx')).RuleDialog }));

interface Copy {
  label: string;
  key: string;
  text: () => string | Promise<string>;
}

/** Shows the actions for the incident: close it, share it, filter similar events. */
export function IncidentActions({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const navigate = useNavigate();
  const [isRuling, setRuling] = useState(false);
  const [wasRuling, setWasRuling] = useState(false);
  if (isRuling && !wasRuling) setWasRuling(true);
  const ids = [incident.incident_id];
  const menus = {
    assign: useRef<MenuHandle>(null),
    snooze: useRef<MenuHandle>(null),
    priority: useRef<MenuHandle>(null),
  };
  const copies = copiesOf(incident, bundle);
  const copy = async ({ label, text }: Copy) => {
    const isDone = await copyText(await text());
    showToast(isDone ? `Copied ${label}` : 'The browser refused to copy');
  };
  const change = (to: 'resolved' | 'open') => changeStatus({ ids, to });
  const resolveMenu = useRef<MenuHandle>(null);
  const isResolved = incident.status === 'resolved';
  // The menu that was used for it goes away with the focus.
  const primary = useRef<HTMLButtonElement>(null);
  const takesFocus = useRef(false);
  useEffect(() => {
    if (isResolved && takesFocus.current) primary.current?.focus();
    takesFocus.current = false;
  }, [isResolved]);
  const shortcuts: Shortcut[] = [
    { keys: 'e', label: 'Resolve', run: () => !isResolved && change('resolved') },
    { keys: 'v', label: 'Resolve in a release', run: () => resolveMenu.current?.open() },
    { keys: 'Shift+E', label: 'Reopen', run: () => isResolved && change('open') },
    { keys: 'z', label: 'Undo, while it is offered', run: undo },
    { keys: 'a', label: 'Assign', run: () => menus.assign.current?.open() },
    { keys: 's', label: 'Snooze', run: () => menus.snooze.current?.open() },
    { keys: 'p', label: 'Set the priority', run: () => menus.priority.current?.open() },
    { keys: 'r', label: 'Filter events like these', run: () => setRuling(true) },
    ...copies.map((each) => ({
      keys: `c ${each.key}`,
      label: `Copy ${each.label}`,
      run: () => void copy(each),
    })),
  ];
  useShortcuts('Incident', shortcuts);
  const removal: MenuItem = {
    kind: 'action',
    label: 'Remove sample data',
    onChoose: () =>
      void changeSampleData(incident.project_id, 'remove').then(
        // The list shows when they are gone.
        () => navigate({ to: pathTo('incidents', { pid: incident.project_id }) }),
        (error: unknown) => showToast(problemText(error), { lastsMs: null }),
      ),
  };
  const forAgent = bundle === null ? undefined : copies[0];
  const others = forAgent === undefined ? copies : copies.slice(1);
  return (
    <div className={styles.actions} data-bar="narrow">
      <Button
        keys="C A"
        refusal={forAgent === undefined ? 'Its evidence is not collected yet' : null}
        onClick={() => forAgent !== undefined && void copy(forAgent)}
      >
        Copy for agent
      </Button>
      <Menu
        label="More actions"
        side="end"
        triggerClass={styles.trigger}
        trigger={<Icon path={moreIcon} />}
        items={[
          ...others.flatMap((each): MenuItem[] =>
            each === null
              ? []
              : [
                  {
                    kind: 'action',
                    label: `Copy ${each.label}`,
                    keys: `C ${each.key.toUpperCase()}`,
                    onChoose: () => void copy(each),
                  },
                ],
          ),
          { kind: 'line' },
          {
            kind: 'action',
            label: 'Filter events like these…',
            keys: 'R',
            onChoose: () => setRuling(true),
          },
          ...(incident.is_sample ? [removal] : []),
        ]}
      />
      <PriorityMenu ref={menus.priority} incidents={[incident]} />
      <SnoozeMenu ref={menus.snooze} incidents={[incident]} />
      <AssignMenu ref={menus.assign} incidents={[incident]} />
      {!isResolved && (
        <ResolveMenu
          ref={resolveMenu}
          onResolve={(resolved) => {
            takesFocus.current = true;
            changeStatus({ ids, to: 'resolved', ...resolved });
          }}
        />
      )}
      {/* One button for both, which keeps the focus when it was pressed. */}
      <Button
        ref={primary}
        kind="primary"
        keys={isResolved ? 'Shift E' : 'E'}
        onClick={() => change(isResolved ? 'open' : 'resolved')}
      >
        {isResolved ? 'Reopen' : 'Resolve'}
      </Button>
      {wasRuling && (
        <LazyPart>
          <RuleDialog incident={incident} isOpen={isRuling} onClose={() => setRuling(false)} />
        </LazyPart>
      )}
    </div>
  );
}

function copiesOf(incident: Incident, bundle: DebugBundle | null): Copy[] {
  const link: Copy = {
    label: 'link',
    key: 'l',
    text: () => `${location.origin}${pathTo('incident', { id: incident.incident_id })}`,
  };
  if (bundle === null) return [link];
  const { artifacts } = bundle.reproduction;
  return [
    {
      label: 'for agent',
      key: 'a',
      text: async () =>
        bundleAgentText(...(await shared(incident, bundle)), fenceWord(), await codeUrlOf(incident, bundle)),
    },
    {
      label: 'markdown',
      key: 'm',
      text: async () =>
        bundleMarkdown(...(await shared(incident, bundle)), await codeUrlOf(incident, bundle)),
    },
    { label: 'JSON', key: 'j', text: () => JSON.stringify(bundle, null, 2) },
    ...(artifacts === null ? [] : [{ label: 'curl', key: 'u', text: () => artifacts.curl }]),
    link,
  ];
}

/** Returns the form for an issue tracker or an agent; its code is loaded on request. */
async function shared(incident: Incident, bundle: DebugBundle): Promise<[Incident, DebugBundle]> {
  const { sharedForm } = await import('@culprit/evidence/bundles/sharing/shared-form');
  return sharedForm(incident, bundle);
}

/** The line in the repository of the project, as its settings name it. */
async function codeUrlOf({ project_id: id }: Incident, bundle: DebugBundle): Promise<string | null> {
  return codeLink((await queryClient.fetchQuery(projectQuery(id))).repositories, bundle);
}

/** A word that no text of a failing application can know. */
function fenceWord(): string {
  return `evidence-${crypto.randomUUID()}`;
}
