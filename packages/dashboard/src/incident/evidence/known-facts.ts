import type { HistoryEntry } from '@culprit/contract/incidents/incident-history';
import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import type { PeculiarTag } from '@culprit/contract/incidents/peculiar-tags';
import { count, percent, roughly } from '../../format/numbers.ts';

const FACTS_MAX = 4;
const DAY_MS = 86_400_000;
/** On fewer days there is nothing to say of them. */
const DAYS_MIN = 3;
const DAYS_LOOKED_AT = [14, 30] as const;

/** The data from which facts are counted. */
interface Counted {
  total: number;
  firstSeenAt: string;
  nowMs: number;
  /** The deploy before the latest event. */
  deploy: { version: string; deployedAt: string } | null;
  /** Counts since that deploy; the first bucket may begin before it. */
  sinceDeploy: Occurrences | null;
  /** Counts of days. */
  days: Occurrences | null;
  history: readonly HistoryEntry[];
  /** Releases of the events that are kept in full, in the order in which they were seen. */
  releases: readonly string[];
  /** The tags that nearly all of its events have, and few others. */
  peculiar: readonly PeculiarTag[];
}

/** Returns the known facts about an incident: counted, never guessed (docs/contract/dashboard.md 4.7). */
export function knownFacts(counted: Counted): string[] {
  const facts = [
    deployFact(counted),
    ...counted.peculiar.map(peculiarFact),
    resolveFact(counted),
    daysFact(counted),
    releasesFact(counted),
  ];
  return facts.filter((fact) => fact !== null).slice(0, FACTS_MAX);
}

function deployFact({ total, firstSeenAt, nowMs, deploy, sinceDeploy }: Counted): string | null {
  if (deploy === null) return null;
  const deployedMs = Date.parse(deploy.deployedAt);
  const firstMs = Date.parse(firstSeenAt);
  const { version } = deploy;
  if (firstMs >= deployedMs) {
    const after = roughly(firstMs - deployedMs);
    return total === 1
      ? `The only event arrived ${after} after ${version} was deployed.`
      : `${total === 2 ? 'Both' : `All ${count(total)}`} events arrived since ${version} was deployed, the first ${after} after it.`;
  }
  if (sinceDeploy === null) return null;
  const [shared = 0, ...later] = sinceDeploy.counts;
  const surely = later.reduce((sum, each) => sum + each, 0);
  const when = `since ${version} was deployed ${roughly(nowMs - deployedMs)} ago`;
  if (surely === 0) return null;
  // The bucket in which the deploy lies holds events from before it too.
  return `${shared === 0 ? '' : 'At least '}${count(surely)} of ${count(total)} events arrived ${when}.`;
}

/** "All have new_pricing = true; 12 % elsewhere." */
function peculiarFact({ key, value, count: events, share, elsewhere }: PeculiarTag): string {
  const who = share >= 1 ? `All ${count(events)} events` : `${percent(share)} of its events`;
  return `${who} have ${key} = ${value}; ${elsewhere === 0 ? 'in no other incident' : `${percent(elsewhere)} elsewhere`}.`;
}

function resolveFact({ history, days }: Counted): string | null {
  const at = history.findLastIndex(({ kind }) => kind === 'incident.resolved');
  const resolved = history[at];
  const back = history.slice(at + 1).find(({ kind }) => kind === 'incident.regressed');
  if (resolved === undefined || back === undefined) return null;
  const who = resolved.actor === null ? '' : ` by ${resolved.actor.name}`;
  const deploy = days?.markers.findLast(
    ({ kind, deployment_id: id }) => kind === 'deploy' && id !== null && id === back.data.deployment_id,
  );
  const backMs = Date.parse(back.occurred_at);
  const after =
    deploy === undefined || deploy.label === null
      ? `${roughly(backMs - Date.parse(resolved.occurred_at))} later`
      : `${roughly(Math.max(0, backMs - Date.parse(deploy.at)))} after ${deploy.label} was deployed`;
  return `Resolved${who}, back ${after}.`;
}

function daysFact({ days, firstSeenAt, nowMs }: Counted): string | null {
  const on = days === null ? null : daysSeen(days, firstSeenAt, nowMs);
  return on === null ? null : `It happened on ${on}.`;
}

/** "10 of the last 14 days"; null where they are too few to say something. */
export function daysSeen(days: Occurrences, firstSeenAt: string, nowMs: number): string | null {
  if (days.bucket_seconds * 1000 !== DAY_MS) return null;
  const ageDays = (nowMs - Date.parse(firstSeenAt)) / DAY_MS;
  const looked = DAYS_LOOKED_AT.find((each) => ageDays <= each) ?? DAYS_LOOKED_AT[1];
  const seen = days.counts.slice(-looked).filter((each) => each > 0).length;
  return seen < DAYS_MIN ? null : `${seen} of the last ${looked} days`;
}

function releasesFact({ releases }: Counted): string | null {
  if (releases.length < 2) return null;
  const shown = releases.slice(-3);
  const more = releases.length - shown.length;
  return `Seen in ${more > 0 ? `${more} earlier releases, ` : ''}${shown.join(', ')}.`;
}
