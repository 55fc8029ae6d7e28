/**
 * The only place that spells an address of the dashboard (docs/contract/dashboard.md 2.10). Routes are declared with
 * the patterns, links are made with the functions.
 */
export const PATTERNS = {
  home: '/',
  login: '/login',
  invite: '/invite',
  unsubscribe: '/unsubscribe',
  cli: '/cli',
  welcome: '/welcome',
  allIncidents: '/incidents',
  incident: '/incidents/$id',
  shortIncident: '/i/$id',
  bundle: '/bundles/$id',
  bundleReproduction: '/bundles/$id/reproduction',
  improvement: '/improvements/$id',
  organization: '/organization',
  settings: '/settings',
  operator: '/operator',
  project: '/projects/$pid',
  setup: '/projects/$pid/setup',
  incidents: '/projects/$pid/incidents',
  services: '/projects/$pid/services',
  tail: '/projects/$pid/tail',
  checks: '/projects/$pid/checks',
  newCheck: '/projects/$pid/checks/new',
  check: '/projects/$pid/checks/$checkId',
  editCheck: '/projects/$pid/checks/$checkId/edit',
  heartbeats: '/projects/$pid/heartbeats',
  newHeartbeat: '/projects/$pid/heartbeats/new',
  heartbeat: '/projects/$pid/heartbeats/$heartbeatId',
  editHeartbeat: '/projects/$pid/heartbeats/$heartbeatId/edit',
  improvements: '/projects/$pid/improvements',
  alerts: '/projects/$pid/alerts',
  newAlert: '/projects/$pid/alerts/new',
  alert: '/projects/$pid/alerts/$alertId',
  webhooks: '/projects/$pid/webhooks',
  newWebhook: '/projects/$pid/webhooks/new',
  webhook: '/projects/$pid/webhooks/$webhookId',
  slack: '/projects/$pid/slack',
  trackers: '/projects/$pid/trackers',
  reports: '/projects/$pid/reports',
  capture: '/projects/$pid/capture',
  newCaptureRule: '/projects/$pid/capture/rules/new',
  captureRule: '/projects/$pid/capture/rules/$ruleId',
  grouping: '/projects/$pid/grouping',
  ownership: '/projects/$pid/ownership',
  intake: '/projects/$pid/intake',
  probes: '/projects/$pid/probes',
  sourceMaps: '/projects/$pid/source-maps',
  releases: '/projects/$pid/releases',
  release: '/projects/$pid/releases/$releaseId',
  tokens: '/projects/$pid/tokens',
  people: '/projects/$pid/people',
  projectSettings: '/projects/$pid/settings',
} as const;

export type PathName = keyof typeof PATTERNS;

/** The address of a screen, with the ids of its pattern filled in. */
export function pathTo(name: PathName, ids: Readonly<Record<string, string>> = {}): string {
  return PATTERNS[name].replaceAll(/\$(\w+)/g, (_whole, key: string) => encodeURIComponent(ids[key] ?? ''));
}

/** Returns a path with its search parameters, without the empty ones. */
export function withSearch(path: string, search: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Returns true if text may be followed as an address of ours: a path that names no other site. */
export function isOwnPath(text: string): boolean {
  return /^\/(?!\/)[^\\\p{Cc}]*$/u.test(text) && text.length <= 512;
}

/** Returns the target after signing in: the earlier page, never another site. */
export function returnTarget(returnTo: string | undefined): string {
  return returnTo !== undefined && isOwnPath(returnTo) ? returnTo : PATTERNS.home;
}

/** Returns the known parameters of an address, in the screen's own order. */
export function knownSearch<const Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): { [Key in Name]?: string } {
  const known: { [Key in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') known[name] = value;
  }
  return known;
}
