import { confirmEmailChange, requestEmailChange } from '@culprit/contract/workspace/account';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { sessionQuery } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useWaitAfter } from '../shell/parts/wait-after.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import styles from './settings-form.module.css';
import { sessionsQuery } from './settings-queries.ts';

const CODE = /^\d{6}$/;

/** Another address for the account: both addresses are proven with a code, as in signing in. */
export function ChangeEmail({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const { data: session } = useQuery(sessionQuery);
  const [code, setCode] = useState('');
  const [currentCode, setCurrentCode] = useState('');
  const request = useMutation({
    mutationFn: () => call(requestEmailChange, { body: { email } }),
  });
  const confirm = useMutation({
    mutationFn: async () =>
      (await call(confirmEmailChange, { body: { email, code, current_code: currentCode } })).session,
    onSuccess: async (changed) => {
      queryClient.setQueryData(sessionQuery.queryKey, changed);
      showToast(`Your address is ${changed.email} now`);
      onDone();
      await queryClient.invalidateQueries(sessionsQuery);
    },
    onError: () => {
      setCode('');
      setCurrentCode('');
    },
  });
  const isSent = request.isSuccess;
  const areTyped = CODE.test(code) && CODE.test(currentCode);
  const waitS = useWaitAfter(request.error ?? confirm.error);
  return (
    <form
      className={styles.inline}
      aria-label="Change the address"
      onSubmit={(event) => {
        event.preventDefault();
        if (waitS > 0) return;
        if (!isSent) {
          if (email.includes('@') && !request.isPending) request.mutate();
        } else if (areTyped && !confirm.isPending) confirm.mutate();
      }}
    >
      <TextField
        label="New address"
        name="email"
        type="email"
        autoComplete="email"
        autoFocus
        readOnly={isSent}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={request.isError ? problemText(request.error) : null}
        hint="Other browsers are signed out, and reports and alerts that go to your old address go to this one."
      />
      {isSent && (
        <>
          <TextField
            label="Code sent to the new address"
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            maxLength={6}
            value={code}
            onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
            error={confirm.isError ? 'One of the codes is wrong or no longer valid.' : null}
            hint={`Sent to ${email}, works for 10 minutes`}
          />
          <TextField
            label="Code sent to your current address"
            name="current-code"
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={6}
            value={currentCode}
            onChange={(event) => setCurrentCode(event.target.value.replaceAll(/\D/g, ''))}
            hint={`Sent to ${session?.email ?? 'your current address'}, to protect your account`}
          />
        </>
      )}
      <div className={styles.buttons}>
        <Button
          kind="primary"
          type="submit"
          isBusy={request.isPending || confirm.isPending}
          refusal={
            waitS > 0
              ? `Again in ${waitS} s`
              : isSent
                ? areTyped
                  ? null
                  : 'Enter both codes first'
                : email.includes('@')
                  ? null
                  : 'Enter the new address first'
          }
        >
          {waitS > 0 ? `Again in ${waitS} s` : isSent ? 'Change the address' : 'Send the codes'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
