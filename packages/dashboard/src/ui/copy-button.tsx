import checkIcon from 'virtual:icon/check';
import copyIcon from 'virtual:icon/copy';
import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { copyText } from './copy.ts';

const CONFIRMED_MS = 2000;

/** The button that copies the text beside it, and shows that it did. */
export function CopyButton({
  text,
  label = 'Copy',
  isIcon = false,
}: {
  text: string | (() => string);
  label?: string;
  isIcon?: boolean;
}) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () => {
    void copyText(typeof text === 'string' ? text : text()).then((isDone) =>
      setState(isDone ? 'done' : 'failed'),
    );
  };
  const words = { idle: label, done: 'Copied', failed: 'The browser refused' }[state];
  const icon = state === 'done' ? checkIcon : copyIcon;
  if (isIcon) return <IconButton label={words} icon={icon} onClick={copy} data-tip-side="end" />;
  return (
    <Button kind="quiet" icon={icon} onClick={copy}>
      {words}
    </Button>
  );
}
