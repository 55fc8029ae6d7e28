import { confirmEmailChange, requestEmailChange } from '@culprit/contract/account';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { sessionQuery } from '../api/session.ts';
import { bodyOf, client } from '../api/transport.ts';
import { showToast } from '../shell/toasts.tsx';
import { useWaitAfter } from '../shell/wait-after.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import styles from './settings-form.module.css';
import { sessionsQuery } from './settings-queries.ts';

const CODE = /^\d{6}$/;

/** Another address for the account: it is proven with a code, as in signing in. */
export function ChangeEmail({ onDone }: { onDone: () => void }) {
  const queryClient = useQueryClient();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const request = useMutation({
    mutationFn: () => bodyOf(client.call(requestEmailChange, { body: { email } })),
  });
  const confirm = useMutation({
    mutationFn: async () =>
      (await bodyOf(client.call(confirmEmailChange, { body: { email, code } }))).session,
    onSuccess: async (session) => {
      queryClient.setQueryData(sessionQuery.queryKey, session);
      showToast(`Your address is ${session.email} now`);
      onDone();
      await queryClient.invalidateQueries(sessionsQuery);
    },
    onError: () => setCode(''),
  });
  const isSent = request.isSuccess;
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
        } else if (CODE.test(code) && !confirm.isPending) confirm.mutate();
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
        <TextField
          label="Code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          maxLength={6}
          value={code}
          onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
          error={confirm.isError ? problemText(confirm.error) : null}
          hint={`Sent to ${email}, works for 10 minutes`}
        />
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
                ? CODE.test(code)
                  ? null
                  : 'The code is not typed yet'
                : email.includes('@')
                  ? null
                  : 'The address is not typed yet'
          }
        >
          {waitS > 0 ? `Again in ${waitS} s` : isSent ? 'Change the address' : 'Send the code'}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}
