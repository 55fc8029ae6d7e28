import { testAvailabilityTarget } from '@culprit/contract/monitor/availability-checks';
import { useMutation } from '@tanstack/react-query';
import { problemText } from '../api/problem-words.ts';
import { call, codeOf } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { useWaitAfter } from '../shell/parts/wait-after.ts';
import { Button } from '../ui/button.tsx';
import styles from './check-form.module.css';
import type { CheckValues } from './check-values.ts';
import { errorWords, testWords } from './check-words.ts';

/** Asks the address once, as the check would; nothing of it is kept. */
export function CheckTest({
  projectId,
  values,
  blockedWords,
}: {
  projectId: string;
  values: CheckValues;
  blockedWords: string;
}) {
  const test = useMutation({
    mutationFn: async () => {
      const body = {
        url: values.url.trim(),
        method: values.method,
        expected_status_min: values.statusMin,
        expected_status_max: values.statusMax,
        timeout_ms: values.timeoutMs,
      };
      return (await call(testAvailabilityTarget, { params: { id: projectId }, body })).result;
    },
  });
  const wait = useWaitAfter(test.error);
  const result = test.data;
  return (
    <div className={styles.test}>
      <Button
        isBusy={test.isPending}
        refusal={values.url.trim() === '' ? 'Enter an address first' : wait > 0 ? `Again in ${wait} s` : null}
        onClick={() => test.mutate()}
      >
        {wait > 0 ? `Test again in ${wait} s` : 'Test now'}
      </Button>
      <div role="status" className={styles.result}>
        {test.isError && (
          <p className={styles.error}>
            {codeOf(test.error) === 'blocked_target' ? blockedWords : problemText(test.error)}
          </p>
        )}
        {result !== undefined && !test.isPending && !test.isError && (
          <>
            <p className={result.status === 'success' ? styles.passes : styles.error}>{testWords(result)}.</p>
            {result.error_kind !== null && <p>{errorWords(result.error_kind)}</p>}
            <p className={styles.host} translate="no">
              Answered by <code>{visibleLine(result.final_url)}</code>
            </p>
          </>
        )}
      </div>
    </div>
  );
}
