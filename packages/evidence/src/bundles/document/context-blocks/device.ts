import type { DeviceBlock } from '@culprit/contract/incidents/bundle-context';
import type { Device, NormalizedEvent } from '../../../events/normalize/event.ts';
import type { SampleEvidence } from '../../evidence/bundle-evidence.ts';
import { evidenceText, evidenceTextOrNull } from '../../evidence/evidence-text.ts';

/** The user's device, of the first event that describes one; a browser's name alone is a description too. */
export function deviceBlock(blockOrder: readonly SampleEvidence[]): DeviceBlock | null {
  for (const { event } of blockOrder) {
    const browser = event.device?.browser ?? browserOf(event);
    if (event.device !== null || browser !== null) return block(event.device, browser);
  }
  return null;
}

function browserOf({ payload }: NormalizedEvent): Device['browser'] {
  return payload.kind === 'exception' ? payload.browser : null;
}

function block(device: Device | null, browser: Device['browser']): DeviceBlock {
  const os = device?.os ?? null;
  return {
    version: 1,
    user_agent: evidenceTextOrNull(device?.userAgent ?? null),
    browser: browser && { name: evidenceText(browser.name), version: evidenceText(browser.version) },
    // Never null: published clients read its members without asking.
    os: { name: evidenceTextOrNull(os?.name ?? null), version: evidenceTextOrNull(os?.version ?? null) },
    device_type: device?.deviceType ?? 'unknown',
    screen: size(device?.screen ?? null),
    viewport: size(device?.viewport ?? null),
    device_pixel_ratio: device?.devicePixelRatio ?? null,
    touch_capable: device?.touchCapable ?? null,
    language: evidenceTextOrNull(device?.language ?? null),
    connection_type: evidenceTextOrNull(device?.connectionType ?? null),
    color_scheme_preference: device?.colorSchemePreference ?? null,
  };
}

function size(value: { width: number; height: number } | null): DeviceBlock['screen'] {
  return value && { width: value.width, height: value.height };
}
