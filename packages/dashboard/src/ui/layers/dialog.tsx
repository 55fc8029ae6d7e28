import xIcon from 'virtual:icon/x';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { Button, IconButton } from '../button.tsx';
import styles from './dialog.module.css';

/**
 * A dialog over the page, which waits behind it. The browser's own: it holds the focus, and gives it back to what opened
 * it.
 */
export function Dialog({
  title,
  isOpen,
  onClose,
  isSticky = false,
  width = 'narrow',
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** Closes by its own button alone. */
  isSticky?: boolean;
  width?: 'narrow' | 'wide';
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element === null) return;
    if (isOpen && !element.open) {
      element.showModal();
      // The first field, and otherwise the answer to the question, gets the focus before the button that closes.
      (
        element.querySelector<HTMLElement>('input, select, textarea') ??
        element.querySelector<HTMLElement>('[data-first]')
      )?.focus();
    }
    if (!isOpen && element.open) element.close();
  }, [isOpen]);
  // An open dialog that is removed from the page does not return the focus; one that is closed before does.
  useLayoutEffect(() => {
    const element = dialog.current;
    return () => {
      if (element?.open === true) element.close();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too, which the browser does itself
    <dialog
      ref={dialog}
      className={styles.dialog}
      data-width={width}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!isSticky) onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current && !isSticky) onClose();
      }}
    >
      {isOpen && (
        <div className={styles.inside}>
          <div className={styles.head}>
            <h2 id={id}>{title}</h2>
            {!isSticky && <IconButton label="Close" icon={xIcon} onClick={onClose} data-tip-side="end" />}
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** Shows the buttons below a dialog or a form, the one that continues first. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

/** Asks once before something large or final, and names what changes or is lost. */
export function ConfirmDialog({
  title,
  verb,
  isReversible = false,
  isOpen,
  isBusy = false,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The action of the button, with its object: "Revoke the token". */
  verb: string;
  /** Red is for what cannot be undone. */
  isReversible?: boolean;
  isOpen: boolean;
  isBusy?: boolean;
  error?: string | null;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className={styles.text}>{children}</div>
      {error !== null && error !== undefined && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <Actions>
        <Button
          kind={isReversible ? 'primary' : 'danger'}
          isBusy={isBusy}
          onClick={onConfirm}
          data-first={isReversible || undefined}
        >
          {verb}
        </Button>
        <Button onClick={onClose} data-first={isReversible ? undefined : true}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
