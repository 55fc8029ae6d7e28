import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { CodeBlock } from '../code-block.tsx';
import { copyText } from '../copy.ts';
import { Actions, Dialog } from './dialog.tsx';

/**
 * Shows a secret, which no one can read again. It closes when it was copied, or when the reader says that it is stored;
 * its opener keeps the secret in memory only, and drops it then.
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
  const [isRefused, setRefused] = useState(false);
  const close = () => {
    setRefused(false);
    onStored();
  };
  const copy = async () => {
    const isCopied = secret !== null && (await copyText(secret));
    if (isCopied) close();
    else setRefused(true);
  };
  return (
    <Dialog title={title} isOpen={secret !== null} onClose={close} isSticky width="wide">
      {secret !== null && <CodeBlock code={secret} label="secret" copyLabel="Copy the secret" />}
      <p>{note}</p>
      {children}
      <Actions>
        <Button kind="primary" onClick={() => void copy()}>
          {isRefused ? 'The browser refused to copy' : 'Copy and close'}
        </Button>
        <Button onClick={close}>I have stored it</Button>
      </Actions>
    </Dialog>
  );
}
