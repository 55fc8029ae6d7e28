import { createProbeRing } from '../../sdk-core/src/probes/probe-ring.ts';
import { loadProbes } from './load-probes.ts';
import type { Page } from './loaded-page.ts';

/** A probe of a page: dormant, it only fills the ring; the first directive loads the rest. */
export function runProbe(page: Page, label: string, value: unknown, options?: { heavy?: boolean }): void {
  if (!page.ring) {
    const made = createProbeRing({ now: Date.now, startCleaner: page.startCleaner });
    page.ring = made;
    page.evidence.push(() => {
      const probe_data = made.take(null);
      return probe_data ? { probe_data } : {};
    });
  }
  const { ring, triggers } = page;
  const call = (read: unknown) => page.probe?.(label, read, options, null, triggers);
  const dormant = (read: unknown) => options?.heavy || ring.remember(ring.labelOf(label), read, null);
  if (page.probe) call(value);
  else if (page.directives.length || triggers.length) {
    // The value is read now, and judged when the rest is loaded.
    const read = typeof value === 'function' ? value : ring.read(value);
    page.probesLoading ??= loadProbes().then(({ activeProbes }) => {
      page.probe ??= activeProbes(page, ring);
    });
    page.probesLoading.then(
      () => call(read),
      () => {
        page.probesLoading = undefined;
        dormant(read);
      },
    );
  } else dormant(value);
}
