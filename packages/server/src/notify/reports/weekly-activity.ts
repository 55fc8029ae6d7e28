/**
 * What happened in a project in the window of a report (docs/contract/notifications.md 4.3). Counts end at
 * `COUNT_MAX`.
 */
export interface WeeklyActivity {
  /** Bundles generated, by type. */
  failureBundles: number;
  improvementBundles: number;
  opened: number;
  resolved: number;
  regressed: number;
  /** Up to five, by ratio. */
  spikes: readonly SpikingIncident[];
}

export interface SpikingIncident {
  /** In its outside form. */
  incidentId: string;
  title: string;
  service: string;
  environment: string;
  /** Times the usual rate, at its worst; null when that was not recorded. */
  ratio: number | null;
}

/** What one project tells in a report. */
export interface ProjectReport {
  /** In its outside form. */
  projectId: string;
  projectName: string;
  activity: WeeklyActivity;
}

/** Nobody reads the exact number of so many, and counting them is not bounded. */
export const COUNT_MAX = 10_000;
export const SPIKES_MAX = 5;

/** Nothing happened that a report could tell. */
export function isQuiet(activity: WeeklyActivity): boolean {
  const { failureBundles, improvementBundles, opened, resolved, regressed, spikes } = activity;
  return failureBundles + improvementBundles + opened + resolved + regressed + spikes.length === 0;
}

/** The counts of a report, in its order. */
export function figuresOf(activity: WeeklyActivity): { label: string; count: string }[] {
  return [
    { label: 'New incidents', count: countText(activity.opened) },
    { label: 'Resolved incidents', count: countText(activity.resolved) },
    { label: 'Regressions', count: countText(activity.regressed) },
    { label: 'Incidents with evidence', count: countText(activity.failureBundles) },
    { label: 'New insights', count: countText(activity.improvementBundles) },
  ];
}

/** What the week comes down to. */
export function outcomeOf({ opened, resolved, regressed, spikes }: WeeklyActivity): string {
  if (regressed > 0) {
    return regressed === 1
      ? 'A resolved incident came back.'
      : `Resolved incidents came back ${countText(regressed)} times.`;
  }
  if (opened > resolved) {
    return resolved === 0
      ? `${incidents(opened)} appeared, and none was resolved.`
      : `More incidents appeared than were resolved: ${countText(opened)} against ${countText(resolved)}.`;
  }
  if (resolved > opened) {
    return opened === 0
      ? `${incidents(resolved)} ${resolved === 1 ? 'was' : 'were'} resolved, and none appeared.`
      : `More incidents were resolved than appeared: ${countText(resolved)} against ${countText(opened)}.`;
  }
  if (opened > 0) return `As many incidents were resolved as appeared: ${countText(opened)}.`;
  if (spikes.length > 0) return 'No incident appeared, but known ones came more often than usual.';
  return 'No incident appeared or came back.';
}

/** A spike in words. */
export function spikeText({ service, environment, ratio }: SpikingIncident): string {
  const place = `${service}, ${environment}`;
  return ratio === null ? place : `${place}, ${ratio.toFixed(1)} times the usual rate`;
}

function incidents(count: number): string {
  return `${countText(count)} ${count === 1 ? 'incident' : 'incidents'}`;
}

function countText(count: number): string {
  const text = Math.min(count, COUNT_MAX).toLocaleString('en-US');
  return count > COUNT_MAX ? `${text}+` : text;
}
