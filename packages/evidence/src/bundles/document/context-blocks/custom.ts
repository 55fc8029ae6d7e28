import type { CustomBlock } from '@culprit/contract/incidents/bundle-context';
import type { NormalizedEvent } from '../../../events/normalize/event.ts';
import { redactMap } from '../../evidence/redact-evidence.ts';
import { bodyText, boundMap, CUSTOM_BYTES_MAX } from '../size-bounds.ts';

/**
 * Returns the data that the application attached to the primary event; null when there is none.
 * @param shown the key that another block already shows
 */
export function customBlock(primary: NormalizedEvent, shown: string | null = null): CustomBlock | null {
  const { [shown ?? '']: _shown, ...rest } = primary.context;
  const context = redactMap(shown === null ? primary.context : rest);
  const extra = redactMap(primary.extra);
  if (Object.keys(context).length === 0 && Object.keys(extra).length === 0) return null;
  const bytes = Buffer.byteLength(bodyText(context)) + Buffer.byteLength(bodyText(extra));
  if (bytes <= CUSTOM_BYTES_MAX) return { version: 1, context, extra };
  // Both share the bound; one of them alone cannot push the other out.
  return {
    version: 1,
    context: boundMap(context, CUSTOM_BYTES_MAX / 2),
    extra: boundMap(extra, CUSTOM_BYTES_MAX / 2),
  };
}
