import { sentryItemKind } from '@culprit/contract/events/sentry-items';
import type { JsonObject } from '../../events/envelope/json.ts';
import { NATIVE_DUMP } from './sentry-source.ts';

const WORD_LENGTH_MAX = 100;
/** Attachments that are the crash itself. */
const DUMP_TYPE = /^(?:event\.minidump|event\.applecrashreport|unreal\..{1,50})$/;

/**
 * Returns an event's note about an item next to it that was not accepted: its kind, and for a file its name, type and
 * size.
 */
export function droppedItem(type: string, header: JsonObject, sizeBytes: number): string {
  if (type !== 'attachment') return sentryItemKind(type);
  const kind = DUMP_TYPE.test(word(header.attachment_type) ?? '') ? NATIVE_DUMP : 'attachment';
  const facts = [word(header.filename), word(header.content_type), `${sizeBytes} bytes`];
  return `${kind}: ${facts.filter((fact) => fact !== null).join(', ')}`;
}

function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, WORD_LENGTH_MAX) : null;
}
