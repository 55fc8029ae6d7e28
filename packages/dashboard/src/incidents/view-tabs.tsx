import moreIcon from 'virtual:icon/kebab-horizontal';
import type { View } from '@culprit/contract/search/views';
import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { VIEWS } from '../api/incident-list.ts';
import { isSameList, type ListSearch } from '../api/list-search.ts';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { isPlain, removeView, searchOf, shareView, viewsQuery } from '../api/views.ts';
import { LazyPart } from '../shell/parts/lazy-part.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { copyText } from '../ui/copy.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/layers/menu.tsx';
import styles from './view-tabs.module.css';

const NameView = lazy(() => import('./name-view.tsx').then((module) => ({ default: module.NameView })));

/** Lists by name: those that are asked for often, the person's own, and those shared with them. */
export function ViewTabs({
  search,
  projectId,
  onChange,
}: {
  search: ListSearch;
  projectId: string | null;
  onChange: (search: ListSearch) => void;
}) {
  const hasSearch = useFeature('incident_search');
  const hasViews = useFeature('saved_views');
  const { data: saved = [] } = useQuery({ ...viewsQuery(projectId), enabled: hasViews });
  const [naming, setNaming] = useState<'new' | View | null>(null);
  const builtIn = VIEWS.filter(({ needs }) => needs === undefined || hasSearch);
  const shown = isPlain(search) ? saved.find((view) => isSameList(searchOf(view), search)) : undefined;
  const isKnown = shown !== undefined || builtIn.some((view) => isSameList(view.search, search));
  const tab = (key: string, name: string, of: ListSearch, isChosen: boolean) => (
    <button
      key={key}
      type="button"
      className={styles.tab}
      aria-current={isChosen}
      translate={key === name ? undefined : 'no'}
      dir="auto"
      onClick={() => onChange(of)}
    >
      {name}
    </button>
  );
  return (
    <nav aria-label="Views" className={styles.views}>
      <div className={styles.tabs}>
        {builtIn.map(({ name, search: of }) =>
          tab(name, name, of, shown === undefined && isSameList(of, search)),
        )}
        {saved.map((view) => tab(view.view_id, view.name, searchOf(view), view === shown))}
      </div>
      <Menu
        label="View actions"
        side="end"
        triggerClass={styles.more}
        trigger={<Icon path={moreIcon} size={14} />}
        items={[
          ...(hasViews && !isKnown ? [act('Save these filters…', () => setNaming('new'))] : []),
          ...(shown === undefined
            ? []
            : actionsOf(shown, { leave: () => onChange({}), rename: () => setNaming(shown) })),
          act('Copy link', () => void copyText(location.href).then(() => showToast('Copied: link'))),
        ]}
      />
      {naming !== null && (
        <LazyPart>
          <NameView
            view={naming === 'new' ? null : naming}
            search={search}
            projectId={projectId}
            onSaved={(view) => {
              setNaming(null);
              onChange(searchOf(view));
            }}
            onClose={() => setNaming(null)}
          />
        </LazyPart>
      )}
    </nav>
  );
}

function actionsOf(view: View, on: { leave: () => void; rename: () => void }): MenuItem[] {
  const run = (change: Promise<void>, done: string, after = () => {}) =>
    void change.then(
      () => {
        showToast(done);
        after();
      },
      (error: unknown) => showToast(problemText(error)),
    );
  const share = act(view.is_shared ? 'Stop sharing it' : 'Share it with the project', () =>
    run(shareView(view.view_id, !view.is_shared), view.is_shared ? 'View is yours alone' : 'View shared'),
  );
  return [
    ...(view.project_id === null ? [] : [share]),
    act('Rename it…', on.rename),
    act(`Delete the view ${view.name}`, () => run(removeView(view.view_id), 'View deleted', on.leave)),
  ];
}

function act(label: string, onChoose: () => void): MenuItem {
  return { kind: 'action', label, onChoose };
}
