import { lazy, type Ref, useState } from 'react';
import type { ResolvedChange } from '../../api/status-changes.ts';
import { Menu } from '../../ui/layers/menu.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import styles from './triage-menus.module.css';
import { Trigger } from './triage-menus.tsx';

const ResolveDialog = lazy(async () => ({ default: (await import('./resolve-dialog.tsx')).ResolveDialog }));

/** Resolves in a release, so that events of earlier ones do not reopen what is fixed. */
export function ResolveMenu({
  onResolve,
  placement,
  ref,
}: {
  onResolve: (change: ResolvedChange) => void;
  placement?: 'below' | 'above';
  ref?: Ref<{ open(): void }>;
}) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Menu
        {...(ref === undefined ? {} : { ref })}
        {...(placement === undefined ? {} : { placement })}
        label="Fixed in a release"
        side="end"
        triggerClass={styles.trigger}
        trigger={<Trigger words="Fixed in…" keys="V" />}
        items={[
          {
            kind: 'action',
            label: 'Resolve in the next release',
            onChoose: () => onResolve({ within: { in: 'next_release' }, words: ' in the next release' }),
          },
          { kind: 'action', label: 'Resolve in release…', onChoose: () => setAsking(true) },
        ]}
      />
      {isAsking && (
        <LazyPart>
          <ResolveDialog onResolve={onResolve} onClose={() => setAsking(false)} />
        </LazyPart>
      )}
    </>
  );
}
