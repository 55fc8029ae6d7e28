/**
 * The activity of a project in the window of a report (docs/contract/notifications.md 4.3). Counts end at `COUNT_MAX`.
 */
export interface WeeklyActivity extends WeekCounts {
  /** The seven days before the window. */
  before: WeekCounts;
  /** Bundles generated, by type. */
  failureBundles: number;
  improvementBundles: number;
  /** At most five incidents: those that spiked, by ratio, then those with most events. */
  incidents: readonly ReportedIncident[];
}

interface WeekCounts {
  /** Occurrences of incidents, reported repeats included; not cut at `COUNT_MAX`. */
  events: number;
  opened: number;
  resolved: number;
  regressed: number;
}

interface ReportedIncident {
  /** In its outside form. */
  incidentId: string;
  title: string;
  service: string;
  environment: string;
  /** Null for an incident that did not spike. */
  spike: {
    /** Times the usual rate, at its worst; null when that was not recorded. */
    ratio: number | null;
  } | null;
  events: number;
}

/** The part of a report about one project. */
export interface ProjectReport {
  /** In its outside form. */
  projectId: string;
  projectName: string;
  activity: WeeklyActivity;
}

/** The exact number above this is not useful, and counting it is not bounded. */
export const COUNT_MAX = 10_000;
export const INCIDENTS_MAX = 5;

/** Returns true if nothing happened that a report could show. Events of known incidents alone are no news. */
export function isQuiet(activity: WeeklyActivity): boolean {
  const { failureBundles, improvementBundles, opened, resolved, regressed, incidents } = activity;
  const spiked = incidents.filter(({ spike }) => spike !== null).length;
  return failureBundles + improvementBundles + opened + resolved + regressed + spiked === 0;
}

/** The counts of a report, in its order: four against the week before, and what was written. */
export function figuresOf(activity: WeeklyActivity): { label: string; count: string }[] {
  const against = (key: keyof WeekCounts, max: number) =>
    `${countText(activity[key], max)} (${countText(activity.before[key], max)} the week before)`;
  return [
    { label: 'Events', count: against('events', Number.MAX_SAFE_INTEGER) },
    { label: 'New incidents', count: against('opened', COUNT_MAX) },
    { label: 'Regressions', count: against('regressed', COUNT_MAX) },
    { label: 'Resolved incidents', count: against('resolved', COUNT_MAX) },
    { label: 'Incidents with evidence', count: countText(activity.failureBundles, COUNT_MAX) },
    { label: 'New insights', count: countText(activity.improvementBundles, COUNT_MAX) },
  ];
}

/** Returns the result of the week in one sentence. */
export function outcomeOf({ opened, resolved, regressed, incidents: listed }: WeeklyActivity): string {
  if (regressed > 0) {
    return regressed === 1
      ? 'A resolved incident came back.'
      : `Resolved incidents came back ${countText(regressed, COUNT_MAX)} times.`;
  }
  if (opened > resolved) {
    return resolved === 0
      ? `${incidents(opened)} appeared, and none was resolved.`
      : `More incidents appeared than were resolved: ${countText(opened, COUNT_MAX)} against ${countText(resolved, COUNT_MAX)}.`;
  }
  if (resolved > opened) {
    return opened === 0
      ? `${incidents(resolved)} ${resolved === 1 ? 'was' : 'were'} resolved, and none appeared.`
      : `More incidents were resolved than appeared: ${countText(resolved, COUNT_MAX)} against ${countText(opened, COUNT_MAX)}.`;
  }
  if (opened > 0) return `As many incidents were resolved as appeared: ${countText(opened, COUNT_MAX)}.`;
  if (listed.some(({ spike }) => spike !== null))
    return 'No incident appeared, but known ones occurred more often than usual.';
  return 'No incident appeared or came back.';
}

/** An incident of the report in words: where, how often, and how much more than usual. */
export function incidentText({ service, environment, spike, events }: ReportedIncident): string {
  const facts = [service, environment];
  if (events > 0) facts.push(events === 1 ? '1 event' : `${events.toLocaleString('en-US')} events`);
  if (spike !== null) {
    facts.push(spike.ratio === null ? 'more than usual' : `${spike.ratio.toFixed(1)} times the usual rate`);
  }
  return facts.join(', ');
}

function incidents(count: number): string {
  return `${countText(count, COUNT_MAX)} ${count === 1 ? 'incident' : 'incidents'}`;
}

/** A count above `max` was not counted to its end. */
function countText(count: number, max: number): string {
  const text = Math.min(count, max).toLocaleString('en-US');
  return count > max ? `${text}+` : text;
}
