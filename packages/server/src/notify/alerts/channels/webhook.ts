import { type AlertItem, type AlertItems, bundleLink, incidentLink, type Reached } from '../alert-facts.ts';

/** The body of the generic webhook channel (docs/contract/notifications.md 1.15). */
export function webhookBody(items: AlertItems, appUrl: string): object {
  const [{ alertId, ruleName, alertDeliveryId, facts }] = items;
  const { incident, spike, threshold, wake, fix, deploy, release } = facts;
  return {
    type: 'alert.triggered',
    alert_id: alertId,
    ...(ruleName === null ? {} : { alert_name: ruleName }),
    alert_delivery_id: alertDeliveryId,
    condition_type: facts.condition,
    lifecycle_event: facts.lifecycle,
    triggered_at: facts.triggeredAt,
    project: { project_id: facts.projectId, name: facts.projectName },
    incident: {
      incident_id: incident.incidentId,
      short_id: incident.shortId,
      title: incident.title,
      severity: incident.severity,
      status: incident.status,
      service_id: incident.serviceId,
      service_name: incident.serviceName,
      environment: incident.environment,
      occurrence_count: incident.occurrenceCount,
      first_seen_at: incident.firstSeenAt,
      last_seen_at: incident.lastSeenAt,
    },
    release,
    spike:
      spike === null
        ? null
        : { events_5m: spike.events5m, baseline_5m: spike.baseline5m, ratio: spike.ratio },
    ...(threshold === undefined ? {} : { threshold: thresholdBody(threshold) }),
    ...(wake === undefined ? {} : { snooze: { because: wake.because, kept_silent: wake.keptSilent } }),
    ...(fix === undefined
      ? {}
      : { fix: { url: fix.url, commit_sha: fix.commitSha, release: fix.release, author: fix.author } }),
    deploy:
      deploy === null
        ? null
        : {
            version: deploy.version,
            commit_sha: deploy.commitSha,
            branch: deploy.branch,
            deployed_at: deploy.deployedAt,
            minutes_since_deploy: deploy.minutesSinceDeploy,
          },
    ...(items.length === 1 ? {} : { alerts: items.map(ruleOf) }),
    links: { incident: incidentLink(facts, appUrl), bundle: bundleLink(facts, appUrl) },
  };
}

function thresholdBody(reached: Reached): object {
  if ('users' in reached) return { users: reached.users };
  return { occurrences: reached.occurrences, window_minutes: reached.windowMinutes };
}

function ruleOf({ alertId, ruleName, alertDeliveryId, facts }: AlertItem): object {
  return {
    alert_id: alertId,
    alert_name: ruleName,
    alert_delivery_id: alertDeliveryId,
    condition_type: facts.condition,
  };
}

/** Its headers (docs/contract/notifications.md 1.15). It is not signed: the channel has no secret. */
export function webhookHeaders([{ alertId, alertDeliveryId }]: AlertItems): Record<string, string> {
  return { 'x-service-alert': alertId, 'x-service-delivery': alertDeliveryId };
}
