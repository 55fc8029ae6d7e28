import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type { createDsnKey, updateDsnKey } from '@culprit/contract/events/dsn-keys';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { normalizeOrigins } from '../tokens/allowed-origin.ts';
import type { DsnKeyChange, DsnKeyChoices } from '../tokens/dsn-keys.queries.ts';
import { parseTokenLabel } from '../tokens/label.ts';

/**
 * Returns the settings of a new key in their stored form.
 * @throws Problem `invalid_payload`
 */
export function checkNewDsnKey({ body }: { body: BodyOf<typeof createDsnKey> }): DsnKeyChoices {
  return {
    label: parseTokenLabel(body.label),
    allowedOrigins: parseOrigins(body.allowed_origins ?? []),
    serviceName: body.service_name?.trim() ?? null,
    eventsPerMinute: body.events_per_minute ?? null,
  };
}

/**
 * Returns the changes to a key.
 * @throws Problem `invalid_payload`
 */
export function checkDsnKeyChange({ body }: { body: BodyOf<typeof updateDsnKey> }): DsnKeyChange {
  const { label, allowed_origins: origins, service_name: service } = body;
  return {
    label: label === undefined ? undefined : parseTokenLabel(label),
    allowedOrigins: origins === undefined ? undefined : parseOrigins(origins),
    serviceName: service === undefined || service === null ? service : service.trim(),
    eventsPerMinute: body.events_per_minute,
  };
}

function parseOrigins(texts: readonly string[]): string[] {
  const origins = normalizeOrigins(texts);
  if (origins === null)
    throw invalidPayload('/allowed_origins', 'must be origins such as https://shop.example');
  return origins;
}
