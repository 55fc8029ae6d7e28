import { type DeadLetter, retryDeadLetters } from '@culprit/contract/workspace/operator';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { deadLettersQuery, operatorHealthQuery } from '../api/operator.ts';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { fullCount, plural } from '../format/numbers.ts';
import { Time } from '../format/time.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/lists/data-table.tsx';
import { focusHeading, Section } from '../ui/section.tsx';

const SECTION = 'dead-letters';

/** Shows the events that could not be processed, and their errors; they can be processed again after the fix. */
export function DeadLetters() {
  const { data, error, refetch } = useQuery(deadLettersQuery);
  const retry = useRetry();
  const letters = data?.dead_letters ?? [];
  return (
    <Section
      id={SECTION}
      title="Dead letters"
      note={noteOf(letters.length, data?.total ?? 0)}
      actions={
        letters.length > 1 && (
          <Button isBusy={retry.isPending} onClick={() => retry.mutate(letters)}>
            Retry these {letters.length}
          </Button>
        )
      }
    >
      {data === undefined && <LoadingPart error={error} retry={refetch} rows={3} />}
      {letters.length > 0 && (
        <DataTable
          label="Dead letters"
          rows={letters}
          keyOf={({ id }) => String(id)}
          columns={[
            {
              title: 'Reason',
              cell: ({ reason }) => (
                <span dir="auto" translate="no">
                  {visibleLine(reason)}
                </span>
              ),
            },
            { title: 'Project', cell: ({ project_id: id }) => <code>{id}</code> },
            { title: 'Attempts', isNumber: true, cell: ({ attempts }) => fullCount(attempts) },
            { title: 'Since', cell: ({ created_at: at }) => <Time iso={at} /> },
            { title: 'Actions', isTitleHidden: true, cell: (letter) => <RetryButton letter={letter} /> },
          ]}
        />
      )}
    </Section>
  );
}

function noteOf(shown: number, total: number): string | undefined {
  if (total === 0) return undefined;
  return total > shown ? `the oldest ${fullCount(shown)} of ${fullCount(total)}` : plural(total, 'event');
}

function RetryButton({ letter }: { letter: DeadLetter }) {
  const retry = useRetry();
  return (
    <Button
      kind="quiet"
      aria-label={`Retry the event that failed with: ${visibleLine(letter.reason)}`}
      isBusy={retry.isPending}
      onClick={() => retry.mutate([letter])}
    >
      Retry
    </Button>
  );
}

/** An event that fails again becomes a dead letter again, so nothing is asked before. */
function useRetry() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (letters: readonly DeadLetter[]) =>
      call(retryDeadLetters, { body: { ids: letters.map(({ id }) => id) } }),
    onSuccess: ({ retried: events }) => {
      showToast(
        events === 0
          ? 'Nothing was queued: their batches no longer exist'
          : `${plural(events, 'event')} queued to be processed again`,
      );
      focusHeading(SECTION);
    },
    onError: (error) => showToast(problemText(error)),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries(deadLettersQuery),
        queryClient.invalidateQueries(operatorHealthQuery),
      ]),
  });
}
