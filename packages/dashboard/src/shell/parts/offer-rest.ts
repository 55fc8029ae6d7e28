import { ACTIVITY_INCIDENTS_MAX, getIncidentActivity } from '@culprit/contract/incidents/incident-activity';
import type { StatusChange } from '../../api/status-changes.ts';
import { call } from '../../api/transport.ts';
import { plural } from '../../format/numbers.ts';
import { showToast } from './toasts.tsx';

/**
 * Offers the same change for the others, with their number, when some incidents are gone. It is a separate chunk,
 * because the frame needs it only after a rare answer.
 * @returns true if some are gone
 */
export async function offerRest(
  { ids: asked, ...rest }: StatusChange,
  changeStatus: (change: StatusChange) => void,
): Promise<boolean> {
  const ids = await findRemaining(asked);
  const gone = asked.length - ids.length;
  if (gone === 0) return false;
  const text = `Nothing was changed: ${plural(gone, 'incident')} of ${asked.length} ${gone === 1 ? 'is' : 'are'} gone.`;
  const label = `${rest.to === 'resolved' ? 'Resolve' : 'Reopen'} ${plural(ids.length, 'incident')}`;
  showToast(
    text,
    ids.length === 0
      ? {}
      : { lastsMs: null, action: { label, onChoose: () => changeStatus({ ids, ...rest }) } },
  );
  return true;
}

/** Returns those of the incidents that still exist; each request names as many as one read accepts. */
async function findRemaining(ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let from = 0; from < ids.length; from += ACTIVITY_INCIDENTS_MAX) {
    const query = { incident_ids: ids.slice(from, from + ACTIVITY_INCIDENTS_MAX).join(',') };
    const { activity } = await call(getIncidentActivity, { query });
    found.push(...activity.map(({ incident_id: id }) => id));
  }
  return found;
}
