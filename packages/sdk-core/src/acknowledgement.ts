import { isJsonObject } from './clean.ts';
import type { Acknowledgement } from './wire.ts';

/** A sound acknowledgement of a batch (docs/contract/ingestion.md 3.2); null for anything else. */
export function readAcknowledgement(body: string | undefined, events: number): Acknowledgement | null {
  const ack = parseObject(body);
  const { accepted, rejected, errors } = Object(ack);
  let last = -1;
  return accepted >= 0 &&
    accepted + rejected === events &&
    Array.isArray(errors) &&
    errors.length === rejected &&
    errors.every((error) => {
      const { index, reason } = Object(error);
      const isSound =
        Number.isInteger(index) && index > last && index < events && reason && typeof reason === 'string';
      last = index;
      return isSound;
    })
    ? { ...ack, accepted, rejected, errors }
    : null;
}

/** A JSON object of a text; null for anything else. */
export function parseObject(text: string | undefined): { [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
