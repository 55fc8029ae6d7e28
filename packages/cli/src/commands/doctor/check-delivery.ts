import { CliError } from '../../cli-error.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { projectCredential } from '../../credentials/credentials.ts';
import { proveDelivery } from '../../init/proof.ts';
import type { Input } from '../../input.ts';
import { confirm } from '../../output/ask.ts';
import { projectId } from '../../references/project-reference.ts';
import { serviceOf } from '../send/event-of-flags.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

/** The only check that changes something, so it asks: one event, whose incident is resolved again. */
export async function checkDelivery(context: Context, settings: Settings, input: Input): Promise<Finding> {
  const service = serviceOf(context, input, 'cli');
  if (input.has('dry-run')) {
    return skipped(
      'delivery',
      `a test event of ${service.name} in ${service.environment} would be sent to ${settings.origin}`,
    );
  }
  await confirm(
    context,
    `Send a test event to ${settings.origin}? Its incident is resolved immediately.`,
    'A test event needs a confirmation.',
  );
  try {
    const id = await projectId(context);
    const found = projectCredential(settings, context.environment, id, () => {});
    if (found === null) return skipped('delivery', 'there is no project token to send a test event with');
    const { incident, visibleMs } = await proveDelivery(context, {
      origin: settings.origin,
      projectId: id,
      projectToken: found.token,
      pageOrigin: input.text('origin'),
      service: service.name,
      environment: service.environment,
      type: 'cli_doctor',
      keepsIncident: false,
    });
    return ok(
      'delivery',
      `an event was an incident with its bundle after ${visibleMs} ms (${incident.incident_id})`,
    );
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return wrong('delivery', error.message, error.hint);
  }
}
