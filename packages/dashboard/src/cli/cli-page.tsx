import {
  approveCliSignIn,
  type CliSignInOffer,
  denyCliSignIn,
  readCliSignIn,
} from '@culprit/contract/workspace/cli-sign-in';
import { networkWords } from '@culprit/contract/workspace/network-words';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { sessionQuery } from '../api/session.ts';
import { call, codeOf } from '../api/transport.ts';
import { Time } from '../format/time.tsx';
import { PATTERNS } from '../paths.ts';
import { OwnScreen } from '../shell/frame/own-screen.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { FactList } from '../ui/lists/fact-list.tsx';
import { Section, SectionText } from '../ui/section.tsx';
import styles from './cli-page.module.css';

const route = getRouteApi(`/frame${PATTERNS.cli}`);

/** Letting a program in a terminal act as the person who is signed in here. */
export function CliPage() {
  const { code: given = '' } = route.useSearch();
  const [code, setCode] = useState(given);
  const [outcome, setOutcome] = useState<string | null>(null);
  const read = useMutation({
    mutationFn: async (userCode: string) =>
      (await call(readCliSignIn, { body: { user_code: userCode } })).offer,
  });
  return (
    <OwnScreen title="Sign in a terminal">
      <Section id="code" title={read.data === undefined ? 'Code of the terminal' : 'Is this yours?'}>
        {outcome !== null && (
          <SectionText>
            <p role="status">{outcome}</p>
          </SectionText>
        )}
        {outcome === null && read.data === undefined && (
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault();
              read.mutate(code);
            }}
          >
            <TextField
              label="Code"
              name="user_code"
              hint="As culprit login shows it, such as WDJB-MJHT."
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              required
              maxLength={40}
              autoFocus
              value={code}
              error={read.isError ? codeProblem(read.error) : null}
              onChange={(event) => setCode(event.target.value)}
            />
            <Button kind="primary" type="submit" isBusy={read.isPending}>
              Continue
            </Button>
          </form>
        )}
        {outcome === null && read.data !== undefined && <Offer offer={read.data} onDecided={setOutcome} />}
      </Section>
    </OwnScreen>
  );
}

function Offer({ offer, onDecided }: { offer: CliSignInOffer; onDecided: (outcome: string) => void }) {
  const { data: session } = useQuery(sessionQuery);
  const [access, setAccess] = useState<'full' | 'read'>('full');
  const body = { user_code: offer.user_code };
  const approve = useMutation({
    mutationFn: () => call(approveCliSignIn, { body: { ...body, access } }),
    onSuccess: () => onDecided('The terminal is signed in. You can close this page.'),
  });
  const deny = useMutation({
    mutationFn: () => call(denyCliSignIn, { body }),
    onSuccess: () => onDecided('The sign-in was refused. The terminal gets no token.'),
  });
  const failure = approve.error ?? deny.error;
  return (
    <div className={styles.form}>
      <p>
        Approve only a sign-in that you started yourself, and only if your terminal shows this code. Otherwise
        a stranger could act as you.
      </p>
      <FactList
        facts={[
          ['Code', <strong key="code">{offer.user_code}</strong>],
          ['Client', offer.label],
          ['Network', networkWords(offer.address_class)],
          ['Began', <Time key="began" iso={offer.created_at} />],
          ['Acts as', session?.email ?? ''],
        ]}
      />
      <SelectField
        label="Access"
        value={access}
        onChange={(event) => setAccess(event.target.value === 'read' ? 'read' : 'full')}
      >
        <option value="full">everything that you can do</option>
        <option value="read">read only</option>
      </SelectField>
      {failure !== null && (
        <p className={styles.error} role="alert">
          {codeProblem(failure)}
        </p>
      )}
      <div className={styles.buttons}>
        <Button kind="primary" isBusy={approve.isPending} onClick={() => approve.mutate()}>
          Approve
        </Button>
        <Button isBusy={deny.isPending} onClick={() => deny.mutate()}>
          Refuse
        </Button>
      </div>
    </div>
  );
}

function codeProblem(error: unknown): string {
  return codeOf(error) === 'device_request_not_found'
    ? 'This code is wrong, used or expired. Run culprit login again for a new one.'
    : problemText(error);
}
