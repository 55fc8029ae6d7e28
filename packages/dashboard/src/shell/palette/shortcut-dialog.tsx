import { Dialog } from '../../ui/layers/dialog.tsx';
import { useSignal } from '../../ui/signal.ts';
import styles from './shortcut-dialog.module.css';
import { keysInWords, shownShortcuts } from './shortcuts.tsx';

/** The keys that work on this screen, by the part that they belong to. */
export function ShortcutDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const parts = useSignal(shownShortcuts);
  return (
    <Dialog title="Keyboard" isOpen={isOpen} onClose={onClose} width="wide">
      <div className={styles.parts}>
        {[...parts]
          .filter(([, shortcuts]) => shortcuts.length > 0)
          .map(([part, shortcuts]) => (
            <div key={part} className={styles.part}>
              <h3>{part}</h3>
              <dl>
                {shortcuts
                  .filter(({ isAlias }) => isAlias !== true)
                  .map(({ keys, label }) => (
                    <div key={keys} className={styles.line}>
                      <dt>{label}</dt>
                      <dd>
                        <kbd>{keysInWords(keys)}</kbd>
                      </dd>
                    </div>
                  ))}
              </dl>
            </div>
          ))}
      </div>
    </Dialog>
  );
}
