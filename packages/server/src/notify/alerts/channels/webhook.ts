import { type AlertItem, bundleLink, incidentLink } from '../alert-facts.ts';

/** The body of the generic webhook channel (docs/contract/notifications.md 1.15). */
export function webhookBody({ alertId, alertDeliveryId, facts }: AlertItem, appUrl: string): object {
  const { incident, spike, deploy } = facts;
  return {
    type: 'alert.triggered',
    alert_id: alertId,
    alert_delivery_id: alertDeliveryId,
    condition_type: facts.condition,
    lifecycle_event: facts.lifecycle,
    triggered_at: facts.triggeredAt,
    project: { project_id: facts.projectId, name: facts.projectName },
    incident: {
      incident_id: incident.incidentId,
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
    spike:
      spike === null
        ? null
        : { events_5m: spike.events5m, baseline_5m: spike.baseline5m, ratio: spike.ratio },
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
    links: { incident: incidentLink(facts, appUrl), bundle: bundleLink(facts, appUrl) },
  };
}

/** Its headers (docs/contract/notifications.md 1.15). It is not signed: the channel has no secret. */
export function webhookHeaders({ alertId, alertDeliveryId }: AlertItem): Record<string, string> {
  return { 'x-service-alert': alertId, 'x-service-delivery': alertDeliveryId };
}
