import { type Session, verifySignInCode } from '@culprit/contract/workspace/sign-in';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { problemText } from '../../api/problem-words.ts';
import { serverQuery } from '../../api/server.ts';
import { enterSession } from '../../api/session.ts';
import { call, codeOf } from '../../api/transport.ts';
import { Button } from '../../ui/button.tsx';
import { CODE_LENGTH, CodeField, digitsOf } from '../../ui/fields/code-field.tsx';
import { useWaitAfter } from '../parts/wait-after.ts';
import styles from './sign-in-form.module.css';

/**
 * The location of the code, by how the server sends mail. Only callers on the server's own machine get terminal and
 * folder.
 */
const WAYS = {
  smtp: 'Check your mail.',
  terminal: (
    <>
      It is printed in the terminal where <code>npm start</code> runs.
    </>
  ),
  file: 'It is in the folder that CULPRIT_EMAIL_DIR names on the server.',
  off: "Check your mail, or the server's terminal if no mail server is set up.",
} as const;
const ATTEMPTS_MAX = 5;

/** The second step of signing in: the code that was sent to an address. */
export function CodeStep(props: {
  email: string;
  /** Seconds for which the code still works. */
  leftS: number;
  /** Seconds until another code may be asked for. */
  waitS: number;
  /** Why another code was not sent. */
  sendError: string | null;
  onSignedIn: (session: Session) => void;
  onAgain: () => void;
  onOther: () => void;
}) {
  const { email, leftS, waitS, sendError, onSignedIn, onAgain, onOther } = props;
  const { data: server } = useQuery(serverQuery);
  const way = server?.auth.email ?? 'smtp';
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const attempts = useRef(0);
  const input = useRef<HTMLInputElement>(null);
  const pauseS = useWaitAfter(failure);
  useEffect(() => input.current?.focus(), []);

  async function verify(digits: string): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const { session } = await call(verifySignInCode, { body: { email, code: digits } });
      enterSession(session);
      onSignedIn(session);
    } catch (problem) {
      setFailure(problem);
      // Other answers say nothing about the code, which stays for another try.
      if (codeOf(problem) === 'invalid_code') {
        attempts.current += 1;
        setCode('');
      }
      setError(
        attempts.current >= ATTEMPTS_MAX
          ? 'This code can no longer be used. Send a new one.'
          : problemText(problem),
      );
      input.current?.focus();
    } finally {
      setBusy(false);
    }
  }

  function take(digits: string): void {
    setCode(digits);
    if (digits.length === CODE_LENGTH && !isBusy && pauseS === 0) void verify(digits);
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (code.length < CODE_LENGTH) setError('The code has six digits. Enter all of them.');
        else take(code);
      }}
      onPaste={(event) => {
        event.preventDefault();
        take(digitsOf(event.clipboardData.getData('text')));
      }}
    >
      <CodeField
        ref={input}
        label="Code"
        name="code"
        value={code}
        readOnly={isBusy}
        error={error ?? sendError}
        onDigits={take}
        hint={
          <>
            Sent to <strong>{email}</strong>.{' '}
            {leftS > 0 ? `Works for ${clock(leftS)}.` : 'It has expired. Send a new one.'}
          </>
        }
      />
      <p className={styles.note}>{WAYS[way]}</p>
      <Button
        kind="primary"
        type="submit"
        isBusy={isBusy}
        refusal={pauseS > 0 ? `Again in ${pauseS} s` : null}
      >
        {pauseS > 0 ? `Again in ${pauseS} s` : 'Sign in'}
      </Button>
      <div className={styles.ways}>
        <Button onClick={onOther}>Use another address</Button>
        <Button
          kind="quiet"
          onClick={() => {
            setError(null);
            onAgain();
          }}
          refusal={waitS > 0 ? `Again in ${waitS} s` : null}
        >
          {waitS > 0 ? `Send again in ${waitS} s` : 'Send again'}
        </Button>
      </div>
    </form>
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
