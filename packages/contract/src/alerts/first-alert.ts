import type { BodyOf } from '../endpoints/endpoint.ts';
import type { createAlert } from './alerts.ts';

/** The rule that dashboard and command line offer with a new project: mail to the person who makes it. */
export function firstAlert(projectId: string, to: string): BodyOf<typeof createAlert> {
  return {
    project_id: projectId,
    name: 'New and regressed incidents',
    channel: 'email',
    condition_type: 'severity_threshold',
    severity_lifecycle_scope: 'both',
    cooldown_seconds: 3600,
    config: { to },
  };
}
