import { createDirectives } from '../../sdk-core/src/directives.ts';
import { createProbes, type Probes } from '../../sdk-core/src/probes.ts';
import type { Page } from './loaded-page.ts';

/** The probes of a page, made by the first one that is called: a page without any bundles nothing of this. */
export function probesOf(page: Page): Probes {
  if (page.probes) return page.probes;
  const directives = createDirectives(page.service, Date.now);
  let known: readonly unknown[] | undefined;
  const update = () => {
    if (known !== page.directives) directives.set(page.directives);
    known = page.directives;
  };
  const { probe, take } = createProbes({
    now: Date.now,
    startCleaner: page.startCleaner,
    directives,
    isStandalone: () => page.project.policy?.capture_probe_events === 'standalone_when_activated',
    emit: (ready) => page.event({ type: 'probe_event', payload: {}, ready }),
  });
  page.evidence.push(() => {
    const probe_data = take(null);
    return probe_data ? { probe_data } : {};
  });
  page.activeProbes = () => {
    update();
    return directives.active();
  };
  page.probes = {
    take,
    probe(...call) {
      update();
      probe(...call);
    },
  };
  return page.probes;
}
