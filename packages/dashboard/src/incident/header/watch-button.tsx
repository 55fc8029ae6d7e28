import { getIncidentWatch, unwatchIncident, watchIncident } from '@culprit/contract/incidents/incident-watch';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { freshness } from '../../api/freshness.ts';
import { problemText } from '../../api/problem-words.ts';
import { useFeature } from '../../api/server.ts';
import { call } from '../../api/transport.ts';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Button } from '../../ui/button.tsx';
import styles from '../story/notes.module.css';

/** Lets the reader be mailed about an incident that is not theirs. */
export function WatchButton({ incident }: { incident: Incident }) {
  const isOffered = useFeature('watching');
  const queryClient = useQueryClient();
  const params = { id: incident.incident_id };
  const queryKey = [getIncidentWatch.id, incident.incident_id];
  const { data } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => (await call(getIncidentWatch, { params, signal })).watch,
    enabled: isOffered,
    ...freshness('incident'),
  });
  const change = useMutation({
    mutationFn: async (isWatched: boolean) =>
      (await call(isWatched ? watchIncident : unwatchIncident, { params })).watch,
    onSuccess: (watch) => queryClient.setQueryData(queryKey, watch),
  });
  if (!isOffered) return null;
  // Its place is kept, so that nothing below it moves.
  if (data === undefined) return <div className={styles.watch} />;
  const { is_watched: isWatched, watchers } = data;
  return (
    <div className={styles.watch}>
      <Button
        kind="quiet"
        isBusy={change.isPending}
        aria-description="You get mails about its notes, regressions and wake-ups"
        onClick={() => change.mutate(!isWatched)}
      >
        {isWatched ? 'Stop watching' : 'Watch'}
      </Button>
      {watchers.length > 0 && (
        <span title={watchers.map(({ name }) => visibleLine(name)).join(', ')}>
          {plural(watchers.length, 'watcher')}
        </span>
      )}
      {change.isError && (
        <span role="alert" className={styles.error}>
          {problemText(change.error)}
        </span>
      )}
    </div>
  );
}
