import { networkWords } from '@culprit/contract/workspace/network-words';
import { type AccountSession, endOwnSession } from '@culprit/contract/workspace/sign-in';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem-words.ts';
import { signOut } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/parts/part-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section } from '../ui/section.tsx';
import { sessionsQuery } from './settings-queries.ts';

const SECTION = 'sessions';

/** Shows the sessions of the person. */
export function Sessions() {
  const { data, error, refetch } = useQuery(sessionsQuery);
  return (
    <Section
      id={SECTION}
      title="Signed in"
      note={data === undefined ? undefined : plural(data.length, 'browser')}
    >
      {data === undefined && error !== null && <PartError error={error} retry={() => void refetch()} />}
      {data !== undefined && (
        <DataTable
          label="Sessions"
          rows={data}
          keyOf={({ session_id: id }) => id}
          columns={[
            {
              title: 'Browser',
              cell: ({ browser, is_current: isCurrent }) => (
                <span>
                  <strong>{browser === null ? 'Unknown browser' : visibleLine(browser)}</strong>
                  {isCurrent && ', this one'}
                </span>
              ),
            },
            {
              title: 'Network',
              cell: ({ address_class: kind }) => networkWords(kind),
            },
            { title: 'Since', cell: ({ created_at: at }) => <Time iso={at} /> },
            { title: 'Last used', cell: ({ last_used_at: at }) => <Time iso={at} /> },
            { title: 'Actions', isTitleHidden: true, cell: (session) => <EndButton session={session} /> },
          ]}
        />
      )}
    </Section>
  );
}

/** Signing in again is easy, so ending a session asks nothing. */
function EndButton({ session }: { session: AccountSession }) {
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => call(endOwnSession, { params: { sessionId: session.session_id } }),
    onSuccess: () => {
      showToast('That browser is signed out');
      focusHeading(SECTION);
    },
    onError: (error) => showToast(problemText(error)),
    onSettled: () => queryClient.invalidateQueries(sessionsQuery),
  });
  if (session.is_current) {
    return (
      <Button kind="quiet" onClick={() => void signOut()}>
        Sign out
      </Button>
    );
  }
  return (
    <Button
      kind="quiet"
      aria-label={`End session in ${session.browser ?? 'an unknown browser'}`}
      isBusy={end.isPending}
      onClick={() => end.mutate()}
    >
      End session
    </Button>
  );
}
