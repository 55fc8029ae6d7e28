import { createDirectives } from '../../sdk-core/src/probes/directives.ts';
import type { ProbeRing } from '../../sdk-core/src/probes/probe-ring.ts';
import { createProbes, type Probes } from '../../sdk-core/src/probes/probes.ts';
import type { Page } from './loaded-page.ts';

/** The probes of a page once a directive is there: pages that never get one do not load this. */
export function activeProbes(page: Page, ring: ProbeRing): Probes['probe'] {
  const directives = createDirectives(page.service, Date.now);
  let known: readonly unknown[] | undefined;
  const update = () => {
    if (known !== page.directives) directives.set(page.directives);
    known = page.directives;
  };
  const { probe } = createProbes({
    now: Date.now,
    ring,
    directives,
    isStandalone: () => page.project.policy?.capture_probe_events === 'standalone_when_activated',
    emit: (ready) => page.event({ type: 'probe_event', payload: {}, ready }),
  });
  page.probesInForce = () => {
    update();
    return directives.active();
  };
  return (...call) => {
    update();
    probe(...call);
  };
}
