import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import styles from './dialog.module.css';
import { Actions } from './dialog.tsx';

/** The form of a dialog, with the buttons that send and cancel it. It is sent once at a time. */
export function DialogForm({
  verb,
  isBusy = false,
  isReady = true,
  refusal = null,
  noValidate = false,
  onSend,
  onClose,
  children,
}: {
  /** The action of the button, with its object: "Create token". */
  verb: string;
  isBusy?: boolean;
  /** False while a field shows what is wrong with it. */
  isReady?: boolean;
  /** Why it cannot be sent now. */
  refusal?: string | null;
  noValidate?: boolean;
  onSend: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <form
      className={styles.form}
      noValidate={noValidate}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && refusal === null && !isBusy) onSend();
      }}
    >
      {children}
      <Actions>
        <Button kind="primary" type="submit" isBusy={isBusy} refusal={refusal}>
          {verb}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </form>
  );
}
