import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Actions, Dialog } from './dialog.tsx';

/**
 * Shows a secret, which cannot be read again. It closes when the person confirms that it is stored; the caller keeps
 * the secret in memory only, and forgets it then.
 */
export function SecretDialog({
  title,
  secret,
  onStored,
  note = "Copy it now. You won't see it again.",
  children,
}: {
  title: string;
  /** Null: the dialog is closed. */
  secret: string | null;
  onStored: () => void;
  note?: string;
  children?: ReactNode;
}) {
  return (
    <Dialog title={title} isOpen={secret !== null} onClose={onStored} isSticky width="wide">
      {secret !== null && <CodeBlock code={secret} label="secret" copyLabel="Copy the secret" />}
      <p>{note}</p>
      {children}
      <Actions>
        <Button kind="primary" onClick={onStored}>
          I have stored it
        </Button>
      </Actions>
    </Dialog>
  );
}
