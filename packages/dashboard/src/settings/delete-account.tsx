import { DELETION_PHRASE, deleteAccount, requestDeletionCode } from '@culprit/contract/workspace/account';
import type { Session } from '@culprit/contract/workspace/sign-in';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { forgetSession } from '../api/session.ts';
import { call, codeOf } from '../api/transport.ts';
import { useWaitAfter } from '../shell/parts/wait-after.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './settings-form.module.css';

const CODE = /^\d{6}$/;

/** Phrase, code, gone: three steps that are all visible from the start. */
export function DeleteAccount({ session }: { session: Session }) {
  const [phrase, setPhrase] = useState('');
  const [code, setCode] = useState('');
  const request = useMutation({
    mutationFn: () => call(requestDeletionCode, { body: { confirmation_text: DELETION_PHRASE } }),
  });
  const remove = useMutation({
    mutationFn: () => call(deleteAccount, { body: { confirmation_text: DELETION_PHRASE, otp: code } }),
    onSuccess: () => forgetSession(),
    onError: () => setCode(''),
  });
  const waitS = useWaitAfter(request.error ?? remove.error);
  const wait = waitS > 0 ? `Again in ${waitS} s` : null;
  const isCodeWrong = codeOf(remove.error) === 'invalid_otp';
  if (session.role !== 'owner') {
    return (
      <Section id="delete" title="Delete the account">
        <SectionText>
          <p>
            You own no projects. First leave the projects that you are a member of, on their Members page.
            Then sign in again and delete the account here.
          </p>
        </SectionText>
      </Section>
    );
  }
  return (
    <Section id="delete" title="Delete the account">
      <SectionText>
        <p>
          Your organization and every project that you own are deleted immediately and permanently: incidents,
          evidence, events, tokens, alerts and the access of other members.
        </p>
      </SectionText>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (wait !== null) return;
          if (!request.isSuccess) {
            if (phrase === DELETION_PHRASE && !request.isPending) request.mutate();
          } else if (CODE.test(code) && !remove.isPending) remove.mutate();
        }}
      >
        <ol className={styles.steps}>
          <li aria-current={request.isSuccess ? undefined : 'step'}>
            <div>
              <TextField
                label={`Type: ${DELETION_PHRASE}`}
                name="phrase"
                autoComplete="off"
                readOnly={request.isSuccess}
                value={phrase}
                onChange={(event) => setPhrase(event.target.value)}
                error={request.isError ? problemText(request.error) : null}
              />
              {!request.isSuccess && (
                <Button
                  type="submit"
                  isBusy={request.isPending}
                  refusal={wait ?? (phrase === DELETION_PHRASE ? null : 'Type the phrase first')}
                >
                  {wait ?? 'Send the code'}
                </Button>
              )}
            </div>
          </li>
          <li aria-current={request.isSuccess ? 'step' : undefined}>
            <div>
              {request.isSuccess ? (
                <TextField
                  label="Code"
                  name="code"
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  autoFocus
                  maxLength={6}
                  value={code}
                  onChange={(event) => setCode(event.target.value.replaceAll(/\D/g, ''))}
                  error={remove.isError ? problemText(remove.error) : null}
                  hint={`Sent to ${session.email}${isCodeWrong ? '' : ', works for 10 minutes'}`}
                />
              ) : (
                <p className={styles.rest}>Enter the code that is mailed to {session.email}</p>
              )}
            </div>
          </li>
          <li>
            <div>
              <Button
                kind="danger"
                type={request.isSuccess ? 'submit' : 'button'}
                isBusy={remove.isPending}
                refusal={wait ?? (request.isSuccess && CODE.test(code) ? null : 'Enter the code first')}
              >
                Delete the account
              </Button>
            </div>
          </li>
        </ol>
      </form>
    </Section>
  );
}
