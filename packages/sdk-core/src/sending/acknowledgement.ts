import { attempt } from '../attempt.ts';
import { isJsonObject } from '../redaction/clean.ts';
import type { Acknowledgement } from '../wire.ts';

/** A sound acknowledgement of a batch (docs/contract/ingestion.md 3.2); null for anything else. */
export function readAcknowledgement(body: string | undefined, events: number): Acknowledgement | null {
  const ack = parseObject(body);
  return isAcknowledgement(ack, events) ? ack : null;
}

function isAcknowledgement(ack: object | null, events: number): ack is Acknowledgement {
  const { accepted, rejected, errors } = Object(ack);
  let last = -1;
  return (
    accepted >= 0 &&
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
  );
}

/** A JSON object of a text; null for anything else. */
export function parseObject(text: string | undefined): { [key: string]: unknown } | null {
  const value: unknown = attempt(() => JSON.parse(text ?? ''));
  return isJsonObject(value) ? value : null;
}
