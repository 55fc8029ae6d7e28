import chevronIcon from 'virtual:icon/chevron-down';
import { lazy, useState } from 'react';
import { VIEWS } from '../api/incident-list.ts';
import { isSameList, type ListSearch } from '../api/list-search.ts';
import { useFeature } from '../api/server.ts';
import { ownViews, removeView, saveView } from '../api/views.ts';
import { LazyPart } from '../shell/lazy-part.tsx';
import { showToast } from '../shell/toasts.tsx';
import { copyText } from '../ui/copy.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu, type MenuItem } from '../ui/menu.tsx';
import { useSignal } from '../ui/signal.ts';
import styles from './filter-bar.module.css';

const NameView = lazy(() => import('./name-view.tsx').then((module) => ({ default: module.NameView })));

/** Lists by name: those that everybody asks for, and one's own. */
export function ViewMenu({
  search,
  onChange,
}: {
  search: ListSearch;
  onChange: (search: ListSearch) => void;
}) {
  const hasSearch = useFeature('incident_search');
  const own = useSignal(ownViews);
  const [isNaming, setNaming] = useState(false);
  const builtIn = VIEWS.filter(({ needs }) => needs === undefined || hasSearch);
  const view = [...builtIn, ...own].find((each) => isSameList(each.search, search));
  const isOwn = own.some((each) => each === view);
  const choice = (each: { name: string; search: ListSearch }): MenuItem => ({
    kind: 'action',
    label: each.name,
    isChosen: each === view,
    onChoose: () => onChange(each.search),
  });
  return (
    <>
      <Menu
        label={`View: ${view?.name ?? 'custom'}`}
        triggerClass={styles.view}
        trigger={
          <>
            <span>{view?.name ?? 'Custom'}</span>
            <Icon path={chevronIcon} size={12} />
          </>
        }
        items={[
          ...builtIn.map(choice),
          ...(own.length > 0 ? [{ kind: 'title' as const, label: 'Your views' }] : []),
          ...own.map(choice),
          { kind: 'line' },
          ...(view === undefined
            ? [{ kind: 'action' as const, label: 'Save these filters…', onChoose: () => setNaming(true) }]
            : []),
          ...(isOwn && view !== undefined
            ? [
                {
                  kind: 'action' as const,
                  label: `Remove the view ${view.name}`,
                  onChoose: () => removeView(view.name),
                },
              ]
            : []),
          {
            kind: 'action',
            label: 'Copy link',
            onChoose: () => void copyText(location.href).then(() => showToast('Copied: link')),
          },
        ]}
      />
      {isNaming && (
        <LazyPart>
          <NameView
            onSave={(name) => {
              saveView(name, search);
              setNaming(false);
            }}
            onClose={() => setNaming(false)}
          />
        </LazyPart>
      )}
    </>
  );
}
